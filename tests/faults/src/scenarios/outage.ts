import { createdBy } from '../client/buyer.ts';
import { beginRound, buyersOf, type Scenario } from '../round/round.ts';
import { anyPlaces } from '../round/stage.ts';

/** A slower cancellation counts as blocked by the outage. */
const ANSWERED_WITHIN_MS = 3_000;
/** Long enough for the relays to notice. */
const DOWN_MS = 3_000;

/** The broker is killed and stays down: orders are created, confirmed and cancelled meanwhile, and the facts follow. */
export const outage: Scenario = {
  name: 'outage',
  about: 'the broker killed and down, cancellations still succeed',
  needsBroker: true,
  async play(context) {
    const { deployment, size } = context;
    const { broker } = deployment;
    if (!broker) throw new Error('this deployment has no broker');
    const round = await beginRound(context, 'outage', [{ code: 'FLOOR', capacity: 400 }]);
    const buyers = buyersOf(context, round, size === 'short' ? 4 : 12, true);
    const each = size === 'short' ? 3 : 6;
    const before = await Promise.all(
      buyers.map(async (buyer) => {
        const orders: string[] = [];
        for (let made = 0; made < 2 * each; made++) {
          const order = createdBy(await buyer.create([anyPlaces(round.hall, 2)]));
          if (order && made % 3 !== 0) await buyer.confirm(order.id);
          if (order) orders.push(order.id);
        }
        return orders;
      }),
    );

    await broker.kill();
    round.faults.push('RabbitMQ');
    const down = Date.now();
    await Promise.all(
      buyers.map(async (buyer, index) => {
        for (const id of before[index]?.slice(0, each) ?? []) await buyer.cancel(id);
        const order = createdBy(await buyer.create([anyPlaces(round.hall, 1)]));
        if (order) await buyer.confirm(order.id);
        if (order) await buyer.cancel(order.id);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, down + DOWN_MS - Date.now())));
    await broker.start();
    await Promise.all(buyers.map((buyer, index) => buyer.cancel(before[index]?.at(-1) ?? '')));

    round.alsoTrue = ({ entries }, check) => {
      for (const { action, key, outcome, status, tookMs } of entries) {
        if (action !== 'cancel') continue;
        const text = () => `cancellation ${key}: ${outcome} ${status} after ${Math.round(tookMs)} ms`;
        check.that('round', outcome === 'ok' && tookMs <= ANSWERED_WITHIN_MS * round.slack, text);
      }
    };
    return round;
  },
};
