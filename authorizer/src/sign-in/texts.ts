import { scopeWords } from '@boxoffice/http';
import type { Language } from '@boxoffice/pages';
import { getOwnMember } from '@boxoffice/runtime';

/** A sentence in three parts; the middle one is a name, which is emphasised. */
export type Sentence = readonly [string, string, string];

const en = {
  signIn: {
    title: 'Sign in',
    lead: (client: string): Sentence => ['to continue to ', client, ''],
    login: 'Email',
    password: 'Password',
    submit: 'Sign in',
    wrong: 'Email or password is wrong. Check both and try again.',
  },
  tooMany: {
    title: 'Too many attempts',
    lead: (minutes: number) => (minutes === 1 ? 'Try again in a minute.' : `Try again in ${minutes} minutes.`),
    busy: 'Many people are signing in at the moment. Try again in a few seconds.',
  },
  consent: {
    title: 'Allow access?',
    lead: (client: string): Sentence => ['', client, ' would like to:'],
    nothing: (client: string): Sentence => ['', client, ' would like to know that you are signed in.'],
    signedInAs: (login: string): Sentence => ['You are signed in as ', login, '.'],
    /** Of an application on this device or in a browser whose redirect another application could receive. */
    device: 'Allow this only if you have just started the application yourself.',
    allow: 'Allow',
    deny: 'Refuse',
  },
  signOut: {
    title: 'Sign out?',
    lead: (login: string): Sentence => ['You are signed in as ', login, '.'],
    submit: 'Sign out',
    doneTitle: 'Signed out',
    done: 'You are signed out in this browser. Applications that you have open may still have access for a while.',
    open: 'Open the application',
  },
  errors: {
    title: 'This link does not work',
    client: 'The application that sent you here is not registered. Nothing has been sent to it.',
    redirect:
      'The application asked to be called back at an address that is not registered. Nothing has been sent to it.',
    advice: 'Go back to the application and try again. If this happens again, tell its makers:',
    formTitle: 'This form is no longer valid',
    form: 'It was open for too long, or was opened in another window. Start again.',
    sentTitle: 'This form has already been sent',
    sent: 'Your sign-in was accepted. Continue to the application.',
    answered: 'Your first answer was received, and it counts. Continue to the application.',
    proceed: 'Continue',
  },
  invitation: {
    title: 'Choose a password',
    lead: (institution: string): Sentence => ['for your access to ', institution, ''],
    login: 'Email',
    password: 'New password',
    repeat: 'Repeat the new password',
    hint: (least: number) => `At least ${least} characters; a few words in a row are good.`,
    submit: 'Save the password',
    short: (least: number) => `The password is too short: it needs at least ${least} characters.`,
    long: (most: number) => `The password is too long: at most ${most} characters.`,
    common: 'This password is too common and easily guessed. Choose another one.',
    different: 'The two passwords differ. Type the same one twice.',
    endedTitle: 'This invitation has ended',
    ended: 'It was used, replaced by a newer one, or is older than seven days. Ask for a new one.',
    doneTitle: 'Your password is saved',
    done: 'From now on you sign in with your email and this password.',
    open: 'Open the application',
  },
  /** What a scope of a team's own domain lets its holder do. */
  ofDomain: {
    read: (domain: string) => `see data of “${domain}”`,
    write: (domain: string) => `change data of “${domain}”`,
    sensitiveRead: (domain: string) => `see sensitive data of “${domain}”`,
    sensitiveWrite: (domain: string) => `change sensitive data of “${domain}”`,
  },
  scopes: scopeWords,
};

type Texts = typeof en;

const fr: Texts = {
  signIn: {
    title: 'Se connecter',
    lead: (client) => ['pour accéder à ', client, ''],
    login: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    wrong: 'L’adresse e-mail ou le mot de passe est incorrect. Vérifiez-les et réessayez.',
  },
  tooMany: {
    title: 'Trop de tentatives',
    lead: (minutes) => (minutes === 1 ? 'Réessayez dans une minute.' : `Réessayez dans ${minutes} minutes.`),
    busy: 'Beaucoup de personnes se connectent en ce moment. Réessayez dans quelques secondes.',
  },
  consent: {
    title: 'Autoriser l’accès ?',
    lead: (client) => ['', client, ' souhaite :'],
    nothing: (client) => ['', client, ' souhaite savoir que vous êtes connecté.'],
    signedInAs: (login) => ['Vous êtes connecté en tant que ', login, '.'],
    device: 'N’autorisez cet accès que si vous venez d’ouvrir l’application vous-même.',
    allow: 'Autoriser',
    deny: 'Refuser',
  },
  signOut: {
    title: 'Se déconnecter ?',
    lead: (login) => ['Vous êtes connecté en tant que ', login, '.'],
    submit: 'Se déconnecter',
    doneTitle: 'Vous êtes déconnecté',
    done: 'Vous êtes déconnecté dans ce navigateur. Les applications ouvertes peuvent garder leur accès quelque temps.',
    open: 'Ouvrir l’application',
  },
  errors: {
    title: 'Ce lien ne fonctionne pas',
    client: 'L’application qui vous a envoyé ici n’est pas enregistrée. Rien ne lui a été transmis.',
    redirect: 'L’application a demandé une adresse de retour qui n’est pas enregistrée. Rien ne lui a été transmis.',
    advice: 'Revenez à l’application et réessayez. Si cela se reproduit, signalez à ses auteurs :',
    formTitle: 'Ce formulaire n’est plus valable',
    form: 'Il est resté ouvert trop longtemps, ou a été ouvert dans une autre fenêtre. Recommencez.',
    sentTitle: 'Ce formulaire a déjà été envoyé',
    sent: 'Votre connexion a été acceptée. Continuez vers l’application.',
    answered: 'Votre première réponse a été reçue ; c’est elle qui compte. Continuez vers l’application.',
    proceed: 'Continuer',
  },
  invitation: {
    title: 'Choisir un mot de passe',
    lead: (institution) => ['pour votre accès à ', institution, ''],
    login: 'Adresse e-mail',
    password: 'Nouveau mot de passe',
    repeat: 'Répétez le nouveau mot de passe',
    hint: (least) => `Au moins ${least} caractères ; quelques mots à la suite conviennent bien.`,
    submit: 'Enregistrer le mot de passe',
    short: (least) => `Le mot de passe est trop court : il faut au moins ${least} caractères.`,
    long: (most) => `Le mot de passe est trop long : ${most} caractères au plus.`,
    common: 'Ce mot de passe est trop courant et facile à deviner. Choisissez-en un autre.',
    different: 'Les deux mots de passe diffèrent. Saisissez deux fois le même.',
    endedTitle: 'Cette invitation n’est plus valable',
    ended: 'Elle a été utilisée, remplacée par une plus récente, ou date de plus de sept jours. Demandez-en une autre.',
    doneTitle: 'Votre mot de passe est enregistré',
    done: 'Vous vous connectez désormais avec votre adresse e-mail et ce mot de passe.',
    open: 'Ouvrir l’application',
  },
  ofDomain: {
    read: (domain) => `voir les données de « ${domain} »`,
    write: (domain) => `modifier les données de « ${domain} »`,
    sensitiveRead: (domain) => `voir les données sensibles de « ${domain} »`,
    sensitiveWrite: (domain) => `modifier les données sensibles de « ${domain} »`,
  },
  scopes: {
    openid: 'savoir qui vous êtes',
    profile: 'voir votre nom',
    email: 'voir votre adresse e-mail',
    offline_access: 'garder son accès quand vous ne l’utilisez pas',
    'catalog:read': 'voir les produits, les représentations et les prix',
    'catalog:write': 'modifier les produits, les représentations et les prix',
    'catalog.sensitive:read': 'voir les codes de réduction',
    'catalog.sensitive:write': 'créer et retirer des codes de réduction',
    'contacts:read': 'voir les contacts',
    'contacts:write': 'créer et modifier des contacts',
    'contacts.sensitive:read': 'voir les données sensibles des contacts',
    'contacts.sensitive:write': 'modifier les données sensibles des contacts et effacer des contacts',
    'orders:read': 'voir les commandes',
    'orders:write': 'passer, modifier et annuler des commandes',
    'orders.sensitive:read': 'voir les références des paiements',
    'orders.sensitive:write': 'enregistrer des références de paiement et de remboursement',
    'payments:write': 'enregistrer des références de paiement',
    'payments.sensitive:read': 'voir si les clés de prestataires de paiement sont définies',
    'payments.sensitive:write': 'définir et supprimer les clés de prestataires de paiement',
    'tickets:read': 'voir les billets',
    'tickets:write': 'imprimer, contrôler et remplacer des billets',
    'clients:read': 'voir les applications, les clés et leur utilisation',
    'clients:write': 'enregistrer, modifier et supprimer des applications et des clés',
    'clients.sensitive:read': 'voir les données protégées des applications',
    'clients.sensitive:write': 'créer et retirer des secrets d’applications',
    'users:read': 'voir les utilisateurs',
    'users:write': 'créer, modifier et supprimer des utilisateurs',
    'users.sensitive:write': 'inviter des utilisateurs à choisir un mot de passe',
    'events:read': 'voir ce qui se passe, et les webhooks',
    'events:write': 'installer et modifier des webhooks',
  },
};

const de: Texts = {
  signIn: {
    title: 'Anmelden',
    lead: (client) => ['um mit ', client, ' fortzufahren'],
    login: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    wrong: 'E-Mail-Adresse oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es erneut.',
  },
  tooMany: {
    title: 'Zu viele Versuche',
    lead: (minutes) =>
      minutes === 1 ? 'Versuchen Sie es in einer Minute wieder.' : `Versuchen Sie es in ${minutes} Minuten wieder.`,
    busy: 'Gerade melden sich viele an. Versuchen Sie es in einigen Sekunden wieder.',
  },
  consent: {
    title: 'Zugriff erlauben?',
    lead: (client) => ['', client, ' möchte:'],
    nothing: (client) => ['', client, ' möchte wissen, dass Sie angemeldet sind.'],
    signedInAs: (login) => ['Sie sind angemeldet als ', login, '.'],
    device: 'Erlauben Sie das nur, wenn Sie die Anwendung gerade selbst gestartet haben.',
    allow: 'Erlauben',
    deny: 'Ablehnen',
  },
  signOut: {
    title: 'Abmelden?',
    lead: (login) => ['Sie sind angemeldet als ', login, '.'],
    submit: 'Abmelden',
    doneTitle: 'Abgemeldet',
    done: 'Sie sind in diesem Browser abgemeldet. Geöffnete Anwendungen können noch eine Weile Zugriff haben.',
    open: 'Zur Anwendung',
  },
  errors: {
    title: 'Dieser Link funktioniert nicht',
    client: 'Die Anwendung, von der Sie kommen, ist nicht registriert. Es wurde nichts an sie gesendet.',
    redirect: 'Die Anwendung nennt eine Rückadresse, die nicht registriert ist. Es wurde nichts an sie gesendet.',
    advice: 'Gehen Sie zur Anwendung zurück und versuchen Sie es erneut. Bei Wiederholung melden Sie den Herstellern:',
    formTitle: 'Dieses Formular gilt nicht mehr',
    form: 'Es war zu lange offen oder wurde in einem anderen Fenster geöffnet. Beginnen Sie neu.',
    sentTitle: 'Dieses Formular wurde schon gesendet',
    sent: 'Ihre Anmeldung wurde angenommen. Fahren Sie mit der Anwendung fort.',
    answered: 'Ihre erste Antwort ist angekommen, und sie gilt. Fahren Sie mit der Anwendung fort.',
    proceed: 'Weiter',
  },
  invitation: {
    title: 'Passwort wählen',
    lead: (institution) => ['für Ihren Zugang zu ', institution, ''],
    login: 'E-Mail-Adresse',
    password: 'Neues Passwort',
    repeat: 'Neues Passwort wiederholen',
    hint: (least) => `Mindestens ${least} Zeichen; einige Wörter hintereinander eignen sich gut.`,
    submit: 'Passwort speichern',
    short: (least) => `Das Passwort ist zu kurz: Es braucht mindestens ${least} Zeichen.`,
    long: (most) => `Das Passwort ist zu lang: höchstens ${most} Zeichen.`,
    common: 'Dieses Passwort ist zu verbreitet und leicht zu erraten. Wählen Sie ein anderes.',
    different: 'Die beiden Passwörter sind verschieden. Geben Sie zweimal dasselbe ein.',
    endedTitle: 'Diese Einladung gilt nicht mehr',
    ended: 'Sie wurde benutzt, durch eine neuere ersetzt oder ist älter als sieben Tage. Bitten Sie um eine neue.',
    doneTitle: 'Ihr Passwort ist gespeichert',
    done: 'Sie melden sich ab jetzt mit Ihrer E-Mail-Adresse und diesem Passwort an.',
    open: 'Zur Anwendung',
  },
  ofDomain: {
    read: (domain) => `Daten von „${domain}“ sehen`,
    write: (domain) => `Daten von „${domain}“ ändern`,
    sensitiveRead: (domain) => `sensible Daten von „${domain}“ sehen`,
    sensitiveWrite: (domain) => `sensible Daten von „${domain}“ ändern`,
  },
  scopes: {
    openid: 'wissen, wer Sie sind',
    profile: 'Ihren Namen sehen',
    email: 'Ihre E-Mail-Adresse sehen',
    offline_access: 'Zugriff behalten, während Sie sie nicht benutzen',
    'catalog:read': 'Produkte, Vorstellungen und Preise sehen',
    'catalog:write': 'Produkte, Vorstellungen und Preise ändern',
    'catalog.sensitive:read': 'Rabattcodes sehen',
    'catalog.sensitive:write': 'Rabattcodes erstellen und zurückziehen',
    'contacts:read': 'Kontakte sehen',
    'contacts:write': 'Kontakte anlegen und ändern',
    'contacts.sensitive:read': 'sensible Daten von Kontakten sehen',
    'contacts.sensitive:write': 'sensible Daten von Kontakten ändern und Kontakte löschen',
    'orders:read': 'Bestellungen sehen',
    'orders:write': 'Bestellungen aufgeben, ändern und stornieren',
    'orders.sensitive:read': 'Zahlungsreferenzen sehen',
    'orders.sensitive:write': 'Zahlungs- und Erstattungsreferenzen eintragen',
    'payments:write': 'Zahlungsreferenzen eintragen',
    'payments.sensitive:read': 'sehen, ob Schlüssel von Zahlungsanbietern hinterlegt sind',
    'payments.sensitive:write': 'Schlüssel von Zahlungsanbietern hinterlegen und löschen',
    'tickets:read': 'Tickets sehen',
    'tickets:write': 'Tickets drucken, kontrollieren und ersetzen',
    'clients:read': 'Anwendungen, Schlüssel und ihre Nutzung sehen',
    'clients:write': 'Anwendungen und Schlüssel registrieren, ändern und löschen',
    'clients.sensitive:read': 'geschützte Daten von Anwendungen sehen',
    'clients.sensitive:write': 'Geheimnisse von Anwendungen erstellen und zurückziehen',
    'users:read': 'Benutzer sehen',
    'users:write': 'Benutzer anlegen, ändern und löschen',
    'users.sensitive:write': 'Benutzer einladen, ein Passwort zu wählen',
    'events:read': 'sehen, was geschieht, und die Webhooks sehen',
    'events:write': 'Webhooks einrichten und ändern',
  },
};

const texts: Readonly<Record<Language, Texts>> = { fr, en, de };

export function getTexts(language: Language): Texts {
  return texts[language];
}

const OF_DOMAIN = /^([a-z][a-z0-9-]*)(\.sensitive)?:(read|write)$/;

/** What a scope lets its holder do; of a domain of a team's own in general words. */
export function describeScope({ scopes, ofDomain }: Texts, scope: string): string {
  const [, domain, sensitive, action] = OF_DOMAIN.exec(scope) ?? [];
  const known = getOwnMember(scopes, scope);
  if (known !== undefined || domain === undefined) return known ?? scope;
  if (sensitive === undefined) return action === 'read' ? ofDomain.read(domain) : ofDomain.write(domain);
  return action === 'read' ? ofDomain.sensitiveRead(domain) : ofDomain.sensitiveWrite(domain);
}
