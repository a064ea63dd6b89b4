import type { Language } from '@boxoffice/pages';

interface Texts {
  readonly simulator: string;
  /** Says on each page that nothing here is real. */
  readonly notice: string;
  readonly order: (description: string) => string;
  readonly pay: (amount: string) => string;
  readonly decline: string;
  readonly cancel: string;
  readonly close: string;
  readonly wait: string;
  readonly settle: string;
  readonly fail: string;
  readonly dispute: string;
  readonly dispute_won: string;
  readonly dispute_lost: string;
  readonly refund_done: string;
  readonly refund_failed: string;
  readonly declined: string;
  readonly waiting: string;
  readonly paid: string;
  readonly failed: string;
  readonly expired: string;
  readonly impossible: string;
  readonly refunded: (amount: string) => string;
  readonly refund: Readonly<Record<'pending' | 'succeeded' | 'failed', (amount: string) => string>>;
  readonly disputed: Readonly<Record<'open' | 'won' | 'lost', (amount: string) => string>>;
  readonly forTests: string;
  readonly webhook: string;
  readonly webhookSent: string;
  readonly webhookLost: string;
  readonly refunds: string;
  readonly refundsDone: string;
  readonly refundsPending: string;
  readonly refundsFailed: string;
}

export const texts: Readonly<Record<Language, Texts>> = {
  en: {
    simulator: 'Payment simulator',
    notice: 'This is a simulation: no card is asked for, and no money moves.',
    order: (description) => `Order ${description}`,
    pay: (amount) => `Pay ${amount}`,
    decline: 'Let the card be declined',
    cancel: 'Back to the shop',
    close: 'Let this page expire',
    wait: 'Let the bank decide later',
    settle: 'The bank pays',
    fail: 'The bank refuses',
    dispute: 'Dispute the payment',
    dispute_won: 'The dispute is won',
    dispute_lost: 'The dispute is lost',
    refund_done: 'The refund arrives',
    refund_failed: 'The refund fails',
    declined: 'The card was declined. You can try again.',
    waiting: 'The bank has not decided yet.',
    paid: 'Paid.',
    failed: 'The bank has refused: nothing was paid.',
    expired: 'This page has expired: nothing was paid.',
    impossible: 'That is not possible here any more.',
    refunded: (amount) => `Refunded: ${amount}`,
    refund: {
      pending: (amount) => `Refund of ${amount}: under way`,
      succeeded: (amount) => `Refund of ${amount}: arrived`,
      failed: (amount) => `Refund of ${amount}: failed`,
    },
    disputed: {
      open: (amount) => `In dispute: ${amount}`,
      won: (amount) => `Dispute won: ${amount}`,
      lost: (amount) => `Dispute lost: ${amount}`,
    },
    forTests: 'For tests',
    webhook: 'Webhook',
    webhookSent: 'is sent',
    webhookLost: 'is lost',
    refunds: 'Refunds',
    refundsDone: 'arrive at once',
    refundsPending: 'take their time',
    refundsFailed: 'fail',
  },
  fr: {
    simulator: 'Simulateur de paiement',
    notice: 'Ceci est une simulation : aucune carte n’est demandée et aucun argent ne circule.',
    order: (description) => `Commande ${description}`,
    pay: (amount) => `Payer ${amount}`,
    decline: 'Faire refuser la carte',
    cancel: 'Retour à la billetterie',
    close: 'Faire expirer cette page',
    wait: 'La banque décide plus tard',
    settle: 'La banque paie',
    fail: 'La banque refuse',
    dispute: 'Contester le paiement',
    dispute_won: 'Le litige est gagné',
    dispute_lost: 'Le litige est perdu',
    refund_done: 'Le remboursement arrive',
    refund_failed: 'Le remboursement échoue',
    declined: 'La carte a été refusée. Vous pouvez réessayer.',
    waiting: 'La banque n’a pas encore décidé.',
    paid: 'Payé.',
    failed: 'La banque a refusé : rien n’a été payé.',
    expired: 'Cette page a expiré : rien n’a été payé.',
    impossible: 'Ce n’est plus possible ici.',
    refunded: (amount) => `Remboursé : ${amount}`,
    refund: {
      pending: (amount) => `Remboursement de ${amount} : en cours`,
      succeeded: (amount) => `Remboursement de ${amount} : arrivé`,
      failed: (amount) => `Remboursement de ${amount} : échoué`,
    },
    disputed: {
      open: (amount) => `En litige : ${amount}`,
      won: (amount) => `Litige gagné : ${amount}`,
      lost: (amount) => `Litige perdu : ${amount}`,
    },
    forTests: 'Pour les tests',
    webhook: 'Webhook',
    webhookSent: 'est envoyé',
    webhookLost: 'se perd',
    refunds: 'Remboursements',
    refundsDone: 'arrivent aussitôt',
    refundsPending: 'prennent du temps',
    refundsFailed: 'échouent',
  },
  de: {
    simulator: 'Zahlungssimulator',
    notice: 'Dies ist eine Simulation: Es wird keine Karte verlangt, und es fließt kein Geld.',
    order: (description) => `Bestellung ${description}`,
    pay: (amount) => `${amount} zahlen`,
    decline: 'Karte ablehnen lassen',
    cancel: 'Zurück zum Shop',
    close: 'Seite ablaufen lassen',
    wait: 'Die Bank entscheidet später',
    settle: 'Die Bank zahlt',
    fail: 'Die Bank lehnt ab',
    dispute: 'Zahlung anfechten',
    dispute_won: 'Anfechtung abgewehrt',
    dispute_lost: 'Anfechtung verloren',
    refund_done: 'Die Erstattung kommt an',
    refund_failed: 'Die Erstattung scheitert',
    declined: 'Die Karte wurde abgelehnt. Sie können es noch einmal versuchen.',
    waiting: 'Die Bank hat noch nicht entschieden.',
    paid: 'Bezahlt.',
    failed: 'Die Bank hat abgelehnt: Es wurde nichts bezahlt.',
    expired: 'Diese Seite ist abgelaufen: Es wurde nichts bezahlt.',
    impossible: 'Das ist hier nicht mehr möglich.',
    refunded: (amount) => `Erstattet: ${amount}`,
    refund: {
      pending: (amount) => `Erstattung von ${amount}: unterwegs`,
      succeeded: (amount) => `Erstattung von ${amount}: angekommen`,
      failed: (amount) => `Erstattung von ${amount}: gescheitert`,
    },
    disputed: {
      open: (amount) => `Angefochten: ${amount}`,
      won: (amount) => `Anfechtung abgewehrt: ${amount}`,
      lost: (amount) => `Anfechtung verloren: ${amount}`,
    },
    forTests: 'Für Tests',
    webhook: 'Webhook',
    webhookSent: 'wird gesendet',
    webhookLost: 'geht verloren',
    refunds: 'Erstattungen',
    refundsDone: 'kommen sofort an',
    refundsPending: 'brauchen Zeit',
    refundsFailed: 'scheitern',
  },
};
