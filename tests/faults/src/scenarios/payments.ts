import { type Json, waitUntil } from '@boxoffice/testkit';
import { openVisit, requireData } from '../client/api.ts';
import { type Payer, payOnPage } from '../client/payer.ts';
import { paymentPoints } from '../deployment/crash-points.ts';
import type { Check, Evidence } from '../invariants/verdict.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round/round.ts';
import { type Hall, openPointOfSale } from '../round/stage.ts';
import { repeatUntilEnough, runWithClients } from '../round/traffic.ts';
import { choosePoints, countRounds, killAtEach, requireReached } from './kills.ts';

const PROVIDER = '/svc/v3/payment-providers/stripe';
const HOLD_SECONDS = 60;
const CLAIM_SLACK = 3;

/** More than a few attempts of work that is due. */
const LEARNING_MS = 180_000;

/**
 * Puts the keys of the simulated provider, which is a part of the service, and opens a point of sale that accepts it:
 * the catalogue may learn of the keys later, if it does not answer now.
 */
const openPointOfSaleWithKeys = async ({ api, reference }: Context, hall: Hall): Promise<string> => {
  const keys = { secretKey: 'sk_simulated_faults', webhookSecret: 'whsec_simulatedfaults' };
  await requireData(api, PROVIDER, { method: 'PUT', body: keys });
  const open = () =>
    openPointOfSale(api, reference, hall, HOLD_SECONDS, ['stripe']).catch((error: Error) => {
      if (error.message.includes('needs keys')) return null;
      throw error;
    });
  return waitUntil(open, { what: 'a catalogue that knows of the keys', withinMs: LEARNING_MS, everyMs: 1_000 });
};

interface Money {
  readonly payments: readonly Json[];
  readonly refunds: readonly Json[];
}

const readMoney = async (api: Context['api'], orderId: string): Promise<Money> => {
  const [payments, refunds] = await Promise.all(
    ['payments', 'refunds'].map((what) => requireData(api, `/svc/v3/orders/${orderId}/${what}`)),
  );
  return { payments: payments.items, refunds: refunds.items };
};

const sumOf = (all: readonly { readonly amount: number }[]): number => all.reduce((sum, { amount }) => sum + amount, 0);

/** No money without a ticket or a refund, no ticket without money, and nothing charged or given back twice. */
const checkPayer = (payer: Payer, order: Json, { payments, refunds }: Money, tickets: number, check: Check): void => {
  const { orderId, pays, cancelled, refund } = payer;
  const { state, total, lines, paid, refunded, credit } = order;
  const captured = payments.filter(({ status }) => status === 'captured');
  const live = refunds.filter((one) => one.state !== 'failed');
  const describe = () =>
    `${orderId} is ${state}, ${paid} of ${total} are paid and ${refunded} refunded, credit ${credit}; ` +
    `pays ${pays.join(', ') || 'none'}, cancellation ${cancelled ?? 'none'}, refund ${refund?.outcome ?? 'none'}`;
  const claim = (holds: boolean, what: string) => check.that('acknowledged', holds, () => `${what}: ${describe()}`);

  claim(captured.length >= pays.filter((outcome) => outcome === 'ok').length, 'a payment is not recorded');
  claim(captured.length <= pays.filter((outcome) => outcome !== 'refused').length, 'a payment that nobody made');
  claim(paid === sumOf(captured) && paid === total * captured.length, 'other amounts were captured');
  claim(refunded === sumOf(live) && refunded <= paid, 'the refunds are not those of the order');
  claim(
    refunds.every((one) => one.state === 'done'),
    'a refund is not done',
  );
  claim(credit === 0, 'money was not given back');
  if (captured.length === 0) claim(state !== 'confirmed', 'sold without money');
  else claim(state === 'confirmed' || (state === 'cancelled' && cancelled !== undefined), 'paid and not sold');
  if (state === 'confirmed') claim(tickets === lines.length, `${tickets} tickets for ${lines.length} lines`);
  if (cancelled === 'ok') claim(state === 'cancelled' && refunded === paid, 'cancelled and not given back');
  const byHand = live.filter((one) => one.amount === refund?.amount);
  if (refund?.outcome === 'ok') claim(byHand.length >= 1, 'a refund is gone');
  if (refund !== undefined && cancelled === undefined) {
    // A second payment goes back by itself, beside what the house gives back.
    const most = total * Math.max(0, captured.length - 1) + refund.amount;
    claim(refunded <= most, 'more was given back than was asked for');
  }
};

const checkPayers = async (
  { api }: Context,
  payers: readonly Payer[],
  { observed }: Evidence,
  check: Check,
): Promise<void> => {
  for (const payer of payers) {
    const { orderId } = payer;
    const order = await requireData(api, `/svc/v3/orders/${orderId}`);
    const valid = observed.tickets.filter((one) => one.orderId === orderId && !GONE.has(one.status));
    checkPayer(payer, order, await readMoney(api, orderId), valid.length, check);
  }
};

const GONE: ReadonlySet<string> = new Set(['cancelled', 'invalidated']);

/** Visitors pay on the pages of the simulated provider while processes are killed at each step of a payment. */
export const payments: Scenario = {
  name: 'payments',
  about:
    "SIGKILL at eight steps a round of a payment on a provider's page: its opening, paying, the look, the report, refunds; two pages at once, lost webhooks",
  rounds: countRounds(paymentPoints),
  async play(context) {
    const { api, deployment, random, size } = context;
    const begun = await beginRound(context);
    // What a dead process had claimed is free again after 40 s: a claim outlasts two requests to the provider.
    const round: Round = { ...begun, slack: Math.max(begun.slack, CLAIM_SLACK) };
    const serviceHost = await openPointOfSaleWithKeys(context, round.hall);
    const payers: Payer[] = [];
    const pos = openVisit(deployment);
    const { hall, journal } = round;
    const visitors = (enough: () => boolean) =>
      Array.from({ length: size === 'short' ? 3 : 6 }, (_, index) =>
        repeatUntilEnough((turn) => {
          const own = random.fork(`payer ${turn} of ${index}`);
          return payOnPage({ pos, api, serviceHost, hall, journal, payers, random: own });
        }, enough),
      );
    const missed = await runWithClients(round, visitors, () =>
      killAtEach(context, round, choosePoints(context, paymentPoints)),
    );
    round.alsoTrue = async (evidence, check) => {
      requireReached(missed, check);
      await checkPayers(context, payers, evidence, check);
    };
    return round;
  },
};
