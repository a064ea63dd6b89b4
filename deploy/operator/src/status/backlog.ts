import { type OrderDocument, ordersCollection } from '@boxoffice/orders';
import type { Store, Where } from '@boxoffice/store';

/** Unpublished events of a service. */
export interface OutboxState {
  readonly service: string;
  /** At most {@link COUNTED}. */
  readonly events: number;
  /** Age of the oldest; 0 without events. */
  readonly oldestSeconds: number;
}

/** Orders that wait for something. */
export interface OrdersState {
  /** Cancelled orders whose tickets or places have not all followed. */
  readonly openCancellations: number;
  readonly oldestCancellationSeconds: number;
  /** Orders past their deadline for longer than the sweep's interval. */
  readonly expiredUnswept: number;
  /** Orders that are paid in full and not sold for longer than the sweep takes. */
  readonly stuckSteps: number;
}

/** The upper limit of the counts. */
export const COUNTED = 1_000;

/** A sweep runs every few seconds; an order that is due for longer is not being swept. */
export const SWEPT_SECONDS = 60;

const ageOf = (at: number, now: number): number => Math.max(0, Math.round((now - at) / 1_000));

export const outboxOf = async (service: string, { outbox }: Store): Promise<OutboxState> => {
  const events = await outbox.pending(COUNTED);
  const [oldest] = events;
  return {
    service,
    events: events.length,
    oldestSeconds: oldest ? ageOf(Date.parse(oldest.occurredAt), Date.now()) : 0,
  };
};

export const ordersOf = async (store: Store): Promise<OrdersState> => {
  const orders = store.collection(ordersCollection).acrossInstitutions;
  const now = Date.now();
  const due = now - SWEPT_SECONDS * 1_000;
  const some = (where: Where, orderBy: string): Promise<OrderDocument[]> =>
    orders.find({ where, orderBy, limit: COUNTED });
  const unsettled = { 'cancellation.settledAt': null, 'cancellation.requestedAt': { gt: 0 } } as const;
  const open = await some(unsettled, 'cancellation.requestedAt');
  const late = await some({ deadline: { gt: 0, lte: due } }, 'deadline');
  const [oldest] = open;
  return {
    openCancellations: open.length,
    oldestCancellationSeconds: oldest?.cancellation ? ageOf(oldest.cancellation.requestedAt, now) : 0,
    expiredUnswept: late.filter(({ saleDue }) => saleDue == null).length,
    stuckSteps: (await some({ 'saleDue.since': { gt: 0, lte: due } }, 'saleDue.since')).length,
  };
};
