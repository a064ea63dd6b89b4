import { setTimeout as pause } from 'node:timers/promises';
import { type Buyer, createdBy } from '../client/buyer.ts';
import { inspect } from '../round/inspection.ts';
import type { Random } from '../round/random.ts';
import { beginRound, buyersOf, type Context, leave, type Round, type Scenario } from '../round/round.ts';
import { anyPlaces } from '../round/stage.ts';

/** Orders begun in each second, before, during and after the outage. */
const PER_SECOND = 2;
const BUYERS = 8;
/** Places of one order at most. */
const PLACES = 2;
/** Seconds of the sale before the outage and after it. */
const AROUND_SECONDS = 5;
/** A slower cancellation counts as blocked by the outage. */
const CANCELLED_WITHIN_MS = 5_000;
/** For each minute, what a relay needs at most to publish what it holds. */
const PATIENCE_PER_MINUTE_MS = 15_000;
/** The characters of facts that one document holds at most: libs/store/src/mongo/outbox/outbox.ts. */
const MOST_CHARACTERS = 4_000_000;
const COUNTED = 100_000;

/** One order: confirmed or paid, most of them cancelled again. */
const order = async (buyer: Buyer, { hall }: Round, random: Random): Promise<void> => {
  const made = createdBy(await buyer.create([anyPlaces(hall, random.between(1, PLACES))]));
  if (!made) return;
  const fate = random.next();
  if (fate < 0.9) await (fate < 0.3 ? buyer.pay(made.id, made.total) : buyer.confirm(made.id));
  if (random.chance(0.6)) await buyer.cancel(made.id);
};

/** What waits in the outboxes, in words, and the facts of the document that has most. */
const waiting = async ({ deployment }: Context): Promise<{ readonly text: string; readonly most: number }> => {
  // Without the address of the broker, which is down.
  const inspection = await inspect({ ...deployment.data, amqpUrl: undefined });
  try {
    const pending = await inspection.pending(COUNTED);
    const characters = new Map<string, number>();
    for (const event of pending) {
      const size = JSON.stringify(event).length;
      characters.set(event.key, (characters.get(event.key) ?? 0) + size);
    }
    const most = Math.max(0, ...characters.values());
    const all = [...characters.values()].reduce((sum, size) => sum + size, 0);
    const text = `${pending.length} events of ${characters.size} documents, ${Math.round(all / 1_000)} kB, at most ${most} characters in one`;
    return { text, most };
  } finally {
    await inspection.close();
  }
};

const playOutage = async (context: Context, minutes: number): Promise<Round> => {
  const { deployment, random } = context;
  const { broker } = deployment;
  if (!broker) throw new Error('this deployment has no broker');
  const seconds = minutes * 60;
  const capacity = (seconds + 4 * AROUND_SECONDS) * PER_SECOND * PLACES;
  const begun = await beginRound(context, NAME, [{ code: 'FLOOR', capacity }]);
  const round: Round = { ...begun, patienceMs: minutes * PATIENCE_PER_MINUTE_MS };
  const buyers = buyersOf(context, round, BUYERS, true);
  const own = random.fork('orders');
  const orders: Promise<void>[] = [];
  let over = false;
  const sale = (async () => {
    for (let turn = 0; !over; turn++) {
      const [buyer] = [buyers[turn % BUYERS] as Buyer];
      orders.push(order(buyer, round, own.fork(`${turn}`)));
      await pause(1_000 / PER_SECOND);
    }
  })();
  let backlog = { text: '', most: 0 };
  try {
    await pause(AROUND_SECONDS * 1_000);
    await broker.kill();
    await pause(seconds * 1_000);
    backlog = await waiting(context);
    await broker.start();
    await pause(AROUND_SECONDS * 1_000);
  } finally {
    over = true;
    await sale;
    leave(round, orders);
  }
  round.faults.push(`RabbitMQ was down for ${minutes} minutes`);
  round.remarks.push(`after ${minutes} minutes without RabbitMQ: ${backlog.text}`);
  round.alsoTrue = ({ entries }, check) => {
    check.that('round', backlog.most > 0, () => 'nothing waited in the outboxes');
    check.that('round', backlog.most < MOST_CHARACTERS, () => `a document holds ${backlog.most} characters of facts`);
    for (const { action, key, outcome, status, tookMs } of entries) {
      if (action !== 'cancel') continue;
      const text = () => `cancellation ${key}: ${outcome} ${status} after ${Math.round(tookMs)} ms`;
      check.that('round', outcome === 'ok' && tookMs <= CANCELLED_WITHIN_MS, text);
    }
  };
  return round;
};

const NAME = 'long-outage';

/** A scenario in which the broker is down for so many minutes of a sale at a steady rate. */
export const longOutageOf = (minutes: number): Scenario => ({
  name: NAME,
  about: `the broker is down for ${minutes} minutes of a sale`,
  needsBroker: true,
  play: (context) => playOutage(context, minutes),
});
