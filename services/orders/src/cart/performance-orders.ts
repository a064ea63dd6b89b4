import type { Static } from 'typebox';
import type { OrdersContext } from '../context.ts';
import type { OrderDocument } from '../store.ts';
import type { PerformanceOrders } from './schemas.ts';

/** Orders looked at for one page. */
const PAGE = 200;

/** Orders by their first performance come first, then those that have the performance as a further one. */
const SOURCES = ['first', 'further'] as const;

/**
 * A page of the confirmed orders that shoppers made at points of sale and that have a place of the performance. `after`
 * is the `next` of the page before. A page may be empty although others follow; an order may be on two pages if it
 * changes meanwhile.
 */
export const performanceOrders = async (
  { orders: handle, links: linkHandle }: Pick<OrdersContext, 'orders' | 'links'>,
  institution: string,
  performanceId: string,
  after: string | undefined,
): Promise<Static<typeof PerformanceOrders>> => {
  const [orders, links] = [handle.of(institution), linkHandle.of(institution)];
  const [source = 'first', last] = after?.split(' ') ?? [];
  const page = { where: { performanceId }, limit: PAGE, ...(last ? { after: { value: last, id: last } } : {}) };
  const read = async () => {
    if (source === 'first') {
      const found = await orders.find(page);
      return { found, last: found.length < PAGE ? undefined : found.at(-1)?.id };
    }
    const linked = await links.find(page);
    const ids = linked.map(({ orderId }) => orderId);
    const found = ids.length === 0 ? [] : await orders.find({ where: { id: { in: ids } } });
    return { found, last: linked.length < PAGE ? undefined : linked.at(-1)?.id };
  };
  const { found, last: end } = await read();
  const following = source === 'first' ? SOURCES[1] : null;
  return { orders: found.flatMap(shownIf(performanceId)), next: end === undefined ? following : `${source} ${end}` };
};

const shownIf =
  (performanceId: string) =>
  ({ id, state, createdBy, contactNumber, performanceIds }: OrderDocument) =>
    state === 'confirmed' && createdBy && 'pointOfSale' in createdBy && performanceIds.includes(performanceId)
      ? [{ id, pointOfSale: createdBy.pointOfSale, contactNumber }]
      : [];
