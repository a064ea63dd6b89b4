import { settleWithin } from '@boxoffice/runtime';
import { waitUntil } from '@boxoffice/testkit';
import { requireData } from '../client/api.ts';
import { checkoutPoints, listPoints, requireCrashPoint, type ServiceName } from '../deployment/crash-points.ts';
import type { ProductProcess } from '../deployment/process.ts';
import type { Check } from '../invariants/verdict.ts';
import { beginRound, type Context, type Round, type Scenario, selectShare } from '../round/round.ts';
import { type Clients, createPartners, createVisitors, runWithClients } from '../round/traffic.ts';

/**
 * A point that the traffic has not reached after this time, with the slack of the round, counts as not reached: some
 * are the last of many steps of their client, and gateways report usage every five seconds.
 */
const REACH_MS = 90_000;

/** The last kill in the processes of a service, in progress or finished; kills run one after the other. */
const last = new WeakMap<object, Promise<unknown>>();

const alone = <T>(victims: readonly ProductProcess[], act: () => Promise<T>): Promise<T> => {
  const [first] = victims;
  if (!first) throw new Error('no process of this service runs');
  const done = (last.get(first) ?? Promise.resolve()).catch(() => undefined).then(act);
  last.set(first, done);
  return done;
};

/**
 * Kills a process of the point's service when it reaches the point for the n-th time, and restarts it; `meanwhile`
 * starts when the point is armed. One kill at a time per service; several services in parallel. Returns whether the
 * point was reached.
 */
export function killAt(
  { deployment }: Pick<Context, 'deployment'>,
  round: Round,
  point: string,
  nth: number,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<boolean> {
  const victims = deployment.runs(requireCrashPoint(point).service);
  return alone(victims, async () => {
    await Promise.all(victims.map((victim) => victim.arm(point, nth)));
    const died = Promise.race(victims.map((victim) => victim.ended().then(() => true)));
    const acting = meanwhile();
    const reached = await settleWithin(died, REACH_MS * round.slack, () => false);
    // The other instance continues.
    await Promise.all(victims.map((victim) => victim.disarm()));
    round.revivals.push(...(await deployment.revive(victims)));
    if (reached) round.faults.push(point);
    await acting;
    return reached;
  });
}

/** Kills at each of the points, at one of its first passages; returns those that were not reached. */
export async function killAtEach(context: Context, round: Round, points: readonly string[]): Promise<string[]> {
  const missed: string[] = [];
  const strike = async (point: string): Promise<void> => {
    const nth = context.random.fork(point).between(1, 2);
    if (!(await killAt(context, round, point, nth))) missed.push(point);
  };
  await Promise.all(points.map(strike));
  return missed;
}

/** Kills every process of a service, so that none does its work meanwhile, and restarts them at the end. */
export function killAll(
  { deployment }: Pick<Context, 'deployment'>,
  round: Round,
  service: ServiceName,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const victims = deployment.runs(service);
  return alone(victims, async () => {
    await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
    round.faults.push(`every ${service}`);
    await meanwhile();
    round.revivals.push(...(await deployment.revive(victims)));
  });
}

const PER_ROUND = 8;
/** Those of a short one: the whole product of the embedded deployment restarts after each. */
const SHORT = { embedded: 1, scaled: 2 } as const;

export function countRounds(points: readonly string[]): number {
  return Math.ceil(points.length / PER_ROUND);
}

export function choosePoints(context: Context, all: readonly string[]): readonly string[] {
  return (
    context.points ??
    selectShare(context, all, context.size === 'short' ? SHORT[context.deployment.engines] : PER_ROUND)
  );
}

/** Checks that the kills took place: a point that nothing reached proves nothing. */
export function requireReached(missed: readonly string[], check: Check): void {
  check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
}

const ofSales = listPoints('purchase', 'cancellation');

export const kills: Scenario = {
  name: 'kills',
  about: 'SIGKILL at eight steps a round of a purchase and a cancellation',
  rounds: countRounds(ofSales),
  async play(context) {
    const round = await beginRound(context);
    const partners = createPartners(context, round, context.size === 'short' ? 3 : 6);
    const missed = await runWithClients(round, partners, () =>
      killAtEach(context, round, choosePoints(context, ofSales)),
    );
    round.alsoTrue = (_, check) => requireReached(missed, check);
    return round;
  },
};

/** Services whose absence a checkout meets: the sale may have started by then, or be finished. */
const absent: readonly ServiceName[] = ['catalog', 'tickets', 'orders', 'pos', 'authorizer', 'gateway'];

/** The duration of a service's outage, long enough for visitors to notice. */
const GONE_MS = 600;

/** The time until a visitor has bought, once nothing fails any more. */
const BOUGHT_MS = 30_000;

const strikeCheckouts = async (context: Context, round: Round): Promise<string[]> => {
  const { deployment, points, size } = context;
  const missed = await killAtEach(context, round, choosePoints(context, checkoutPoints));
  // The embedded deployment has one process: during an outage nothing can answer.
  if (deployment.engines === 'embedded' || points || size === 'short') return missed;
  // Without contacts, the checkout of a logged-in user fails before its first write and is cancelled; that cancellation
  // can be killed, too.
  const rescue = selectShare(context, listPoints('rescue'), 4);
  await killAll(
    context,
    round,
    'contacts',
    async () => void missed.push(...(await killAtEach(context, round, rescue))),
  );
  for (const service of selectShare(context, absent, 3))
    await killAll(context, round, service, () => new Promise((resolve) => setTimeout(resolve, GONE_MS)));
  return missed;
};

export const checkout: Scenario = {
  name: 'checkout',
  about:
    "SIGKILL at eight steps a round of a visitor's checkout, at those of its rescue, and while another service is down",
  rounds: countRounds(checkoutPoints),
  async play(context) {
    const round = await beginRound(context);
    const visitors = await createVisitors(context, round, context.size === 'short' ? 3 : 8);
    const isBought = () =>
      round.journal.checkouts.some(({ answers }) => answers.some(({ state }) => state === 'confirmed'));
    const missed = await runWithClients(round, visitors, async () => {
      const unreached = await strikeCheckouts(context, round);
      await waitUntil(isBought, { what: 'a visitor to buy', withinMs: BOUGHT_MS * round.slack });
      return unreached;
    });
    round.alsoTrue = (_, check) => requireReached(missed, check);
    return round;
  },
};

export const closing: Scenario = {
  name: 'closing',
  about: 'a performance is cancelled during its sale, and orders is killed meanwhile',
  async play(context) {
    const { api, size } = context;
    const round: Round = { ...(await beginRound(context)), closed: true };
    // The short version does not wait for requests that the crash left unanswered.
    const [count, persistent, enough] = size === 'short' ? [4, false, 20] : [8, undefined, 60];
    const path = `/svc/v3/catalog/performances/${round.hall.performanceId}`;
    const close = () => requireData(api, path, { method: 'PATCH', body: { state: 'cancelled' } });
    const partners: Clients = createPartners(context, round, count, persistent);
    const reached = await runWithClients(round, partners, async () => {
      while (round.journal.entries.length < enough) await new Promise((resolve) => setTimeout(resolve, 20));
      return killAt(context, round, 'orders-performance-cancelled-received', 1, close);
    });
    round.alsoTrue = ({ observed: { orders, tickets } }, check) => {
      check.that('round', reached, () => 'orders never received the fact');
      // A controlled ticket's order stays.
      const inside = new Set(tickets.flatMap(({ controlledAt, orderId }) => (controlledAt === null ? [] : [orderId])));
      for (const { id, state } of orders) {
        const ended = state === 'cancelled' || state === 'expired' || inside.has(id);
        check.that('round', ended, () => `${id} is ${state}, its performance is cancelled`);
      }
    };
    return round;
  },
};
