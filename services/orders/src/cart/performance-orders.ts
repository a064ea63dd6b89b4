import type { Static } from 'typebox';
import type { OrdersContext } from '../context.ts';
import type { OrderDocument } from '../store.ts';
import type { PerformanceOrders } from './schemas.ts';

/** Orders looked at for one page. */
const PAGE = 200;

const shownIf =
  (performanceId: string) =>
  ({ id, state, createdBy, contactNumber, performanceIds }: OrderDocument) =>
    state === 'confirmed' && createdBy && 'pointOfSale' in createdBy && performanceIds.includes(performanceId)
      ? [{ id, pointOfSale: createdBy.pointOfSale, contactNumber }]
      : [];

/**
 * A page of the confirmed orders that shoppers made at points of sale and that have a place of the performance: those of
 * which it is the first come first. `after` is the `next` of the page before. A page may be empty although others
 * follow; an order may be on two pages if it changes meanwhile.
 */
export const performanceOrders = async (
  { orders: handle, links: linkHandle }: Pick<OrdersContext, 'orders' | 'links'>,
  institution: string,
  performanceId: string,
  after = 'first',
): Promise<Static<typeof PerformanceOrders>> => {
  const [orders, links] = [handle.of(institution), linkHandle.of(institution)];
  const [source, last] = after.split(' ');
  const page = { where: { performanceId }, limit: PAGE, ...(last ? { after: { value: last, id: last } } : {}) };
  const answer = (
    found: readonly OrderDocument[],
    read: readonly { readonly id: string }[],
    following: string | null,
  ) => ({
    orders: found.flatMap(shownIf(performanceId)),
    next: read.length < PAGE ? following : `${source} ${read.at(-1)?.id}`,
  });
  if (source === 'first') {
    const found = await orders.find(page);
    return answer(found, found, 'further');
  }
  const linked = await links.find(page);
  const ids = linked.map(({ orderId }) => orderId);
  return answer(ids.length === 0 ? [] : await orders.find({ where: { id: { in: ids } } }), linked, null);
};
