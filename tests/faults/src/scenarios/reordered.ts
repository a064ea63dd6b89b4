import { setTimeout as pause } from 'node:timers/promises';
import { declared } from '@boxoffice/messaging';
import { faithful } from '../inside/orders.ts';
import { type Inspection, inspect } from '../round/inspection.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round/round.ts';
import { duringTraffic } from '../round/traffic.ts';
import { poisons } from './poison.ts';

/** Deliveries for each unreadable message. */
const POISON_EVERY = 50;
/** Longer than any round needs for its deliveries. */
const LONGEST_MS = 300_000;
const LOOK_EVERY_MS = 200;

/** Publishes an unreadable message; where the bus has bytes, half of the time bytes that are no message. */
const plantOne = async ({ deployment, random }: Context, round: Round, inspection: Inspection): Promise<void> => {
  const type = random.pick(poisons);
  const bytes = deployment.data.amqpUrl !== undefined && random.chance(0.5);
  const name = bytes
    ? await inspection.plantBytes(type)
    : await inspection.plant(deployment.partner.institution, type, { nonsense: [null] });
  const queues = declared.queues.filter(({ types }) => types.includes(type));
  round.planted.push(...queues.map((queue) => `${queue.name} ${name}`));
};

/** Within this time what was published before a round has arrived. */
const ARRIVED_MS = 2_000;

const playReordered = async (context: Context, wanted: number): Promise<Round> => {
  const { deployment, random, reference } = context;
  const round = await beginRound(context, NAME, [
    { code: 'FLOOR', capacity: 800 },
    { code: 'FREE', capacity: 400, amount: 0 },
  ]);
  await deployment.behave({
    ...faithful,
    bus: 'doubling out of order',
    seed: random.fork(reference).next().toString(),
  });
  // The facts of the performance itself were published once; they have arrived before anything is counted.
  await pause(ARRIVED_MS);
  await deployment.deliveries();
  const handled: string[] = [];
  let outOfOrder = 0;
  const count = async (): Promise<void> => {
    const deliveries = await deployment.deliveries();
    handled.push(...deliveries.handled);
    outOfOrder += deliveries.outOfOrder;
  };
  const inspection = await inspect(deployment.data);
  const toPlant = Math.ceil(wanted / POISON_EVERY);
  let planted = 0;
  try {
    await duringTraffic(context, round, { buyers: 6, visitors: 3 }, async () => {
      const deadline = Date.now() + LONGEST_MS;
      while ((handled.length < wanted || planted < toPlant) && Date.now() < deadline) {
        while (planted < toPlant && handled.length >= planted * POISON_EVERY) {
          await plantOne(context, round, inspection);
          planted += 1;
        }
        await pause(LOOK_EVERY_MS);
        await count();
      }
    });
  } finally {
    await inspection.close();
  }
  round.faults.push(`${planted} unreadable messages`);
  round.alsoTrue = async (_, check) => {
    await count();
    const once = new Set(handled).size;
    const text = () => `${handled.length} deliveries of ${once} facts, ${outOfOrder} out of order`;
    check.that('round', handled.length >= wanted && handled.length >= 2 * once && outOfOrder > 0, text);
  };
  round.afterwards = async () => {
    await deployment.behave(faithful);
    const operator = await inspect(deployment.data);
    await operator.dropDeadLetters();
    await operator.close();
  };
  return round;
};

const NAME = 'reordered';

/** A scenario of at least so many deliveries: every message twice and out of order, and unreadable messages between. */
export const reorderedOf = (deliveries: number): Scenario => ({
  name: NAME,
  about: `${deliveries} deliveries, every message twice and out of order, and unreadable ones`,
  play: (context) => playReordered(context, deliveries),
});
