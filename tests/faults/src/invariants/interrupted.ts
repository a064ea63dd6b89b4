import { unpaidStates } from '@boxoffice/orders';
import type { PlaceView } from '../client/views.ts';
import { type Claim, type Evidence, grouped, type Hold, isInterrupted } from './evidence.ts';
import type { Check } from './verdict.ts';

/** The longest hold of a new order, in milliseconds: the default of 15 minutes; the rounds' points of sale hold shorter. */
const LONGEST_HOLD_MS = 15 * 60_000;

/** What dead processes may leave, since places come first and the order's one write last. */
export interface Leftovers {
  /** Whether a place that is not as its order says may be so until the end of its hold, or of its order. */
  readonly explain: (place: PlaceView, claim: Claim | undefined) => boolean;
  /** Checks that no more was left than requests were interrupted, and none for longer than a hold lasts. */
  readonly checkHolds: (check: Check) => void;
}

/**
 * What requests without an answer explain: places held without a line, until their hold ends, and sold ones of an unpaid
 * order, until it ends. Whatever was answered leaves nothing.
 */
export const leftoversOf = ({ entries, checkouts, observed, holds = [] }: Evidence): Leftovers => {
  const orders = new Map(observed.orders.map((order) => [order.id, order]));
  const byPlace = new Map(holds.map((hold) => [hold.placeId, hold]));
  const interrupted = entries.filter(isInterrupted);
  // The gateway repeats a creation whose process died by itself, and the repeat may find the performance cancelled.
  const repeated = entries.filter(({ code }) => code === 'order_not_on_sale');
  const keys = new Set([...interrupted, ...repeated].flatMap(({ action, key }) => (action === 'create' ? [key] : [])));
  const unanswered = new Set(
    checkouts.flatMap(({ cartId, answers }) =>
      answers.some(({ status }) => status === null || status >= 500) ? [cartId] : [],
    ),
  );
  const changed = (id: string, ...actions: readonly string[]) =>
    interrupted.some(({ action, subject }) => subject === id && actions.includes(action));

  const mayHold = ({ holder, placeId }: Hold): boolean => {
    const order = orders.get(holder);
    if (order === undefined) return true;
    if (order.lines.some(({ place }) => place.id === placeId)) return false;
    return changed(holder, 'add', 'remove') || keys.has(order.externalReference ?? '');
  };

  return {
    explain({ id, state }, claim) {
      const hold = byPlace.get(id);
      if (state === 'held' && claim === undefined) return hold !== undefined && mayHold(hold);
      if (state !== 'sold' || claim === undefined || !unpaidStates.includes(claim.order.state)) return false;
      return changed(claim.order.id, 'confirm') || unanswered.has(claim.order.id);
    },
    checkHolds(check) {
      const unwritten = grouped(
        holds.filter(({ holder }) => !orders.has(holder)),
        ({ holder }) => holder,
      );
      const text = () => `${[...unwritten.keys()].join(', ')} hold places, ${keys.size} creations were interrupted`;
      check.that('I1', unwritten.size <= keys.size, text);
      for (const { holder, placeId, until } of [...unwritten.values()].flat()) {
        const isBrief = until <= Date.now() + LONGEST_HOLD_MS;
        check.that('I1', isBrief, () => `${placeId} is held for ${holder}, which is no order, until ${until}`);
      }
    },
  };
};
