import { setTimeout as pause } from 'node:timers/promises';
import type { SimulatedSession } from '@boxoffice/payments';
import { type Json, waitUntil } from '@boxoffice/testkit';
import { openVisit, requireData } from '../client/api.ts';
import { type Payer, payOnPage } from '../client/payer.ts';
import { paymentPoints } from '../deployment/crash-points.ts';
import { KEYS, type Trouble, troubles } from '../deployment/provider.ts';
import type { Check, Evidence } from '../invariants/verdict.ts';
import { beginRound, type Context, type Round, type Scenario, selectShare } from '../round/round.ts';
import { type Hall, openHall, openPointOfSale } from '../round/stage.ts';
import { repeatUntilEnough, runWithClients } from '../round/traffic.ts';
import { killBroker, requireSuffered, type Suffered } from './engines.ts';
import { choosePoints, countRounds, killAtEach, requireReached } from './kills.ts';

const PROVIDER = '/svc/v3/payment-providers/stripe';
const HOLD_SECONDS = 60;
const CLAIM_SLACK = 3;

/** More than a few attempts of work that is due. */
const LEARNING_MS = 180_000;

/**
 * Puts the keys of the provider, and opens a point of sale that accepts it: the catalogue may learn of the keys later,
 * if it does not answer now.
 */
const openPointOfSaleWithKeys = async ({ api, reference }: Context, hall: Hall): Promise<string> => {
  await requireData(api, PROVIDER, { method: 'PUT', body: KEYS });
  const open = () =>
    openPointOfSale(api, reference, hall, HOLD_SECONDS, ['stripe']).catch((error: Error) => {
      if (error.message.includes('needs keys')) return null;
      throw error;
    });
  return waitUntil(open, { what: 'a catalogue that knows of the keys', withinMs: LEARNING_MS, everyMs: 1_000 });
};

/** Of the first tariff, and of the one that can be exchanged for it. */
const [DEAR, CHEAP] = [2_500, 1_900];

const openReturnable = async ({ api, reference }: Context, { performanceId, tariffId }: Hall, serviceHost: string) => {
  const { tariffId: returnable } = await openHall(api, `${reference}-other`, [{ code: 'FLOOR', capacity: 1 }]);
  const change = (path: string, body: object) => requireData(api, `/svc/v3/catalog/${path}`, { method: 'PATCH', body });
  const returnPolicy = { returnMinutes: 0, returnFee: null, exchangeMinutes: 0, exchangeFee: null };
  await change(`tariffs/${returnable}`, { returnPolicy });
  const price = { seatCategory: 'FLOOR', tariffId, amount: DEAR };
  const prices = [price, { ...price, tariffId: returnable, amount: CHEAP }];
  await change(`performances/${performanceId}`, { prices });
  await change(`points-of-sale/${serviceHost}`, { tariffIds: [tariffId, returnable] });
  return returnable;
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

const sortIds = (ids: readonly unknown[]): string => ids.map(String).toSorted().join(' ');

/** No money without a ticket or a refund, no ticket without money, and nothing taken or given back twice. */
const checkPayer = (
  payer: Payer,
  order: Json,
  { payments, refunds }: Money,
  pages: readonly SimulatedSession[],
  tickets: number,
  check: Check,
): void => {
  const { orderId, price, cancelled, refund } = payer;
  const { state, total, lines, paid, refunded, credit, due, change } = order;
  const captured = payments.filter(({ status }) => status === 'captured');
  const taken = pages.filter(({ payment }) => payment !== null);
  const given = taken.flatMap((page) => page.refunds);
  const live = refunds.filter((one) => one.state !== 'failed');
  const describe = () =>
    `${orderId} is ${state}, ${paid} of ${total} are paid and ${refunded} refunded, credit ${credit}; ` +
    `the provider has taken ${sortIds(taken.map(({ id }) => id)) || 'nothing'} and given back ${sumOf(given)}; ` +
    `cancellation ${cancelled ?? 'none'}, refund ${refund?.outcome ?? 'none'}`;
  const claim = (holds: boolean, what: string) => check.that('acknowledged', holds, () => `${what}: ${describe()}`);
  const areSame = (ours: readonly unknown[], theirs: readonly unknown[]) => sortIds(ours) === sortIds(theirs);

  claim(
    areSame(
      captured.map(({ reference }) => reference),
      taken.map(({ id }) => id),
    ),
    'what was taken is not what is recorded',
  );
  const isRight = (one: Json) => one.amount === (one.changeId === null ? price : DEAR - CHEAP);
  claim(paid === sumOf(captured) && captured.every(isRight), 'other amounts were captured');
  claim(
    areSame(
      live.map(({ reference }) => reference),
      given.map(({ id }) => id),
    ),
    'what was given back is not what is recorded',
  );
  claim(refunded === sumOf(live) && refunded === sumOf(given), 'the refunds are not those of the provider');
  claim(
    refunds.every((one) => one.state === 'done'),
    'a refund is not done',
  );
  claim(credit === 0 && (due === 0 || state !== 'confirmed'), 'money was not given back, or is due');
  if (captured.length === 0) claim(state !== 'confirmed', 'sold without money');
  else claim(state === 'confirmed' || (state === 'cancelled' && cancelled !== undefined), 'paid and not sold');
  if (state === 'confirmed') claim(tickets === lines.length, `${tickets} tickets for ${lines.length} lines`);
  if (state === 'confirmed' || state === 'cancelled')
    claim(
      payments.every(({ status, changeId }) => status !== 'pending' || (changeId ?? '') === change),
      'a page of it is still open',
    );
  if (cancelled === 'ok') claim(state === 'cancelled' && refunded === paid, 'cancelled and not given back');
  const byHand = live.filter((one) => one.amount === refund?.amount);
  if (refund?.outcome === 'ok') claim(byHand.length >= 1, 'a refund is gone');
  if (refund !== undefined && cancelled === undefined) {
    // A second payment goes back by itself, beside what the house gives back.
    const most = price * Math.max(0, captured.length - 1) + refund.amount;
    claim(refunded <= most, 'more was given back than was asked for');
  }
};

const checkPayers = async (
  { api, deployment }: Context,
  payers: readonly Payer[],
  { observed }: Evidence,
  check: Check,
): Promise<void> => {
  // The provider's page shows the number of the order.
  const pages = Map.groupBy(await deployment.provider.sessions(), ({ description }) => description);
  for (const payer of payers) {
    const { orderId } = payer;
    const order = await requireData(api, `/svc/v3/orders/${orderId}`);
    const valid = observed.tickets.filter((one) => one.orderId === orderId && !GONE.has(one.status));
    checkPayer(payer, order, await readMoney(api, orderId), pages.get(order.number) ?? [], valid.length, check);
  }
};

const GONE: ReadonlySet<string> = new Set(['cancelled', 'invalidated']);

/** So many requests meet a trouble of the provider before it ends. */
const MET = { short: 1, long: 3 } as const;
const MET_MS = 60_000;

/** The provider is in trouble until some requests have met it, and a little longer. */
const failProvider = async (
  { deployment, random, size }: Context,
  { slack }: Round,
  trouble: Trouble,
): Promise<Suffered> => {
  const failing = deployment.provider.fail(trouble);
  const met = waitUntil(() => failing.met() >= MET[size], { what: 'requests', withinMs: MET_MS * slack });
  const unseen = await met.then(
    () => undefined,
    () => 'hardly any request has met it',
  );
  if (size === 'long') await pause(random.between(0, 4_000));
  failing.end();
  return [`the provider ${trouble.words}`, unseen];
};

const failProviderOften = async (context: Context, round: Round): Promise<Suffered[]> => {
  const { random, size } = context;
  const suffered: Suffered[] = [];
  for (const create of selectShare(context, troubles, size === 'short' ? 1 : troubles.length))
    suffered.push(await failProvider(context, round, create(random)));
  return suffered;
};

/**
 * Visitors pay on the pages of a provider while processes are killed at each step of a payment, the provider fails in
 * every way, and the broker is killed while refunds are asked for.
 */
export const payments: Scenario = {
  name: 'payments',
  about:
    "SIGKILL at eight steps a round of a payment on a provider's page, of an order or of a change of it, those " +
    'between the provider and its record too; meanwhile the provider is away, slow, answers 429, 503, or 500 or nothing after it has acted; two pages ' +
    'at once, lost webhooks; RabbitMQ killed while refunds wait',
  rounds: countRounds(paymentPoints),
  async play(context) {
    const { api, deployment, random, size } = context;
    const begun = await beginRound(context);
    // What a dead process had claimed is free again after 40 s: a claim outlasts two requests to the provider.
    const round: Round = { ...begun, slack: Math.max(begun.slack, CLAIM_SLACK) };
    const pos = openVisit(deployment);
    deployment.provider.tell(pos);
    const serviceHost = await openPointOfSaleWithKeys(context, round.hall);
    const returnable = await openReturnable(context, round.hall, serviceHost);
    const payers: Payer[] = [];
    const { hall, journal } = round;
    const visitors = (enough: () => boolean) =>
      Array.from({ length: size === 'short' ? 3 : 6 }, (_, index) =>
        repeatUntilEnough((turn) => {
          const own = random.fork(`payer ${turn} of ${index}`);
          return payOnPage({ pos, api, serviceHost, hall, returnable, journal, payers, random: own });
        }, enough),
      );
    const [missed, suffered] = await runWithClients(round, visitors, async () => {
      const both = await Promise.all([
        killAtEach(context, round, choosePoints(context, paymentPoints)),
        failProviderOften(context, round),
      ]);
      if (size === 'long' && deployment.broker)
        both[1].push(await killBroker(context, deployment.broker, 'order.refund_requested'));
      return both;
    });
    round.faults.push(...suffered.map(([words]) => words));
    round.alsoTrue = async (evidence, check) => {
      requireReached(missed, check);
      requireSuffered(suffered, check);
      await checkPayers(context, payers, evidence, check);
    };
    return round;
  },
};
