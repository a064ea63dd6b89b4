import { must } from '../client/api.ts';
import { trade } from '../client/trade.ts';
import { killAt } from '../deployment/killing.ts';
import { beginRound, buyersOf, leave, type Round, type Scenario } from '../round/round.ts';

/** A performance is cancelled during its sale while orders is killed: no order stays alive. */
export const closing: Scenario = {
  name: 'closing',
  about: 'a performance cancelled during its sale, orders killed while reacting',
  async play(context) {
    const { api, deployment, random, size } = context;
    const opened = await beginRound(context, 'closing', [{ code: 'FLOOR', capacity: 300 }]);
    const round: Round = { ...opened, closed: true };
    let over = false;
    // The short version does not wait for requests that the crash left unanswered.
    const buyers = size === 'short' ? buyersOf(context, round, 4, false) : buyersOf(context, round, 8);
    const traffic = buyers.map((buyer, index) =>
      trade(buyer, round.hall, random.fork(`trade ${index}`), (done) => over || done > 200),
    );
    const enough = size === 'short' ? 20 : 60;
    const dealt = async (): Promise<void> => {
      while (round.journal.entries.length < enough) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const path = `/svc/v3/catalog/performances/${round.hall.performanceId}`;
    const close = () => must(api, path, { method: 'PATCH', body: { state: 'cancelled' } });
    let reached = false;
    try {
      await dealt();
      reached = await killAt('orders-performance-received', 1, deployment, round, close);
    } finally {
      over = true;
      leave(round, traffic);
    }
    round.alsoTrue = ({ observed }, check) => {
      check.that('round', reached, () => 'orders never received the fact');
      // A controlled ticket's order stays.
      const inside = new Set(
        observed.tickets.filter(({ controlledAt }) => controlledAt !== null).map((one) => one.orderId),
      );
      for (const { id, state } of observed.orders) {
        const ended = state === 'cancelled' || state === 'expired' || inside.has(id);
        check.that('round', ended, () => `${id} is ${state}, its performance is cancelled`);
      }
    };
    return round;
  },
};
