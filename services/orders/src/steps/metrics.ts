import type { Metrics, Reading } from '@boxoffice/runtime';
import type { OnWritten } from '@boxoffice/service';
import type { CollectionHandle } from '@boxoffice/store';
import type { OrderDocument } from '../store.ts';

/** Counts orders by state transition: `new` to `open` is a hold, any state to `confirmed` is a sale. */
export const countMoves = (metrics: Metrics): OnWritten<OrderDocument> => {
  const labels = ['from', 'to'];
  const count = metrics.counter({ name: 'orders_moved_total', help: 'Orders that changed their state', labels });
  const places = metrics.counter({ name: 'orders_places_moved_total', help: 'Places of those orders', labels });
  return (before, { state: to, lines }) => {
    const from = before?.state ?? 'new';
    if (from === to) return;
    count({ from, to });
    places({ from, to }, lines.length);
  };
};

/**
 * Gauges of open work over all institutions, each read from an index on scrape. Every instance reports the same
 * value, so aggregate with `max`, not `sum`.
 */
export const watchOrders = ({ acrossInstitutions }: CollectionHandle<OrderDocument>, metrics: Metrics): void => {
  const unsettled = { 'cancellation.settledAt': null, 'cancellation.requestedAt': { gt: 0 } } as const;
  const count = (name: string, help: string, read: () => Promise<number>): void =>
    metrics.watch({ name, help }, async (): Promise<readonly Reading[]> => [{ value: await read() }]);
  const age = (name: string, help: string, field: string, where: Parameters<typeof acrossInstitutions.count>[0]) =>
    count(name, help, async () => {
      const [oldest] = await acrossInstitutions.find({ where, orderBy: field, limit: 1 });
      const since: unknown = field
        .split('.')
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], oldest);
      return typeof since === 'number' ? Math.max(0, Date.now() - since) / 1_000 : 0;
    });

  count('orders_held', 'Orders and carts that hold places unsold', () =>
    acrossInstitutions.count({ deadline: { gt: 0 } }),
  );
  count('orders_cancellations_open', 'Cancelled orders whose tickets or places are not all settled', () =>
    acrossInstitutions.count(unsettled),
  );
  const requested = 'cancellation.requestedAt';
  age('orders_cancellation_open_seconds', 'Age of the oldest open cancellation', requested, unsettled);
  age('orders_expiry_overdue_seconds', 'How long the oldest hold is past its end', 'deadline', { deadline: { gt: 0 } });
  const saleSince = 'saleDue.since';
  age('orders_step_open_seconds', 'Age of the oldest sale that is due', saleSince, { [saleSince]: { gt: 0 } });
};
