import { unpaidStates } from '@boxoffice/orders';
import type { Heard } from '../client/feed.ts';
import type { LineView, OrderView, TicketView } from '../client/views.ts';
import type { Checkout, Entry } from '../round/journal.ts';
import type { ObservedState } from '../round/observed-state.ts';

/** Who holds a place, and until when (epoch milliseconds). */
export interface Hold {
  readonly placeId: string;
  readonly holder: string;
  readonly until: number;
}

/** Everything known of a round once it is quiet: the clients' journal and the product's state. */
export interface Evidence {
  readonly entries: readonly Entry[];
  readonly checkouts: readonly Checkout[];
  readonly observed: ObservedState;
  /** The holds as the catalog stores them, of places without a line. */
  readonly holds?: readonly Hold[];
  /** Absent where nobody listened. */
  readonly heard?: Heard;
  /** Whether the institution has cancelled the performance, which also cancels orders without a client's request. */
  readonly closed?: boolean;
  /** When processes of these services ended (`performance.now`); default: never. */
  readonly endings?: Readonly<Record<'orders' | 'tickets', readonly number[]>>;
  /** The factor of every promised time; default 1. */
  readonly slack?: number;
}

/** The places that an order holds or has sold, by the state of its lines' places. */
export interface Claim {
  readonly order: OrderView;
  readonly line: LineView;
  readonly as: 'held' | 'sold';
}

/** Whether a ticket is valid for entry or has been used. */
export const isLive = ({ status }: TicketView): boolean => status !== 'invalidated' && status !== 'cancelled';

/** The claims of every order. A ticket that was controlled before its order's cancellation retains its place. */
export const claimsIn = ({ orders, tickets }: ObservedState): Claim[] => {
  const controlledLines = new Set(tickets.filter(({ status }) => status === 'controlled').map(({ lineId }) => lineId));
  return orders.flatMap((order) =>
    order.lines.flatMap((line): Claim[] => {
      if (unpaidStates.includes(order.state)) return [{ order, line, as: 'held' }];
      if (order.state === 'confirmed') return [{ order, line, as: 'sold' }];
      return order.state === 'cancelled' && controlledLines.has(line.id) ? [{ order, line, as: 'sold' }] : [];
    }),
  );
};

/** Whether a request had no conclusive answer at some time: its process may have died between two of its effects. */
export const isInterrupted = ({ outcome, unknownTries }: Pick<Entry, 'outcome' | 'unknownTries'>): boolean =>
  outcome === 'unknown' || unknownTries > 0;

/** Groups by a key. */
export const grouped = <T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
};
