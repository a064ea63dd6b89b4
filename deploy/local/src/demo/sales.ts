import type { Fixture } from './catalogue.ts';
import type { ShopKeeper } from './shop-keeper.ts';

interface Availability {
  readonly seatCategories: readonly { readonly id: string; readonly free: number }[];
}

interface Prices {
  readonly prices: readonly { readonly seatCategoryId: string; readonly tariffId: string }[];
}

interface Order {
  readonly id: string;
}

/** Places in one order of the demo's box office. */
const PLACES_PER_ORDER = 8;

const ORDERS = '/svc/v3/orders';

/**
 * Sells places of a fixture's only seat category until `left` remain, as a box office does: held, then confirmed on
 * account. Places that an earlier start has held or sold count.
 */
export const sellUntilLeft = async (keeper: ShopKeeper, { performanceId }: Fixture, left: number): Promise<void> => {
  const ask = async <Data>(call: Parameters<ShopKeeper>[0]): Promise<Data> => {
    const { status, code, data } = await keeper<Data>(call);
    if (status < 300) return data;
    throw new Error(`the demo data was refused: ${call.operation} answered ${status} ${code}`);
  };
  const confirm = ({ id }: Order): Promise<unknown> =>
    ask({
      service: 'orders',
      operation: 'confirmOrder',
      method: 'POST',
      path: `${ORDERS}/${id}/confirmation`,
      body: { onAccount: true },
    });

  const externalReference = `demo ${performanceId}`;
  const query = new URLSearchParams({ externalReference, state: 'open' });
  const open = await ask<{ readonly items: readonly Order[] }>({
    service: 'orders',
    operation: 'listOrders',
    method: 'GET',
    path: `${ORDERS}?${query}`,
  });
  for (const order of open.items) await confirm(order);

  const path = `/svc/v3/catalog/performances/${performanceId}`;
  const { prices } = await ask<Prices>({ operation: 'getPerformance', method: 'GET', path });
  const [price] = prices;
  if (!price) return;
  const availability = await ask<Availability>({
    operation: 'getAvailability',
    method: 'GET',
    path: `${path}/availability`,
  });
  const free = availability.seatCategories.find(({ id }) => id === price.seatCategoryId)?.free ?? 0;
  for (let rest = free - left; rest > 0; rest -= PLACES_PER_ORDER) {
    const { seatCategoryId, tariffId } = price;
    const items = [{ performanceId, seatCategoryId, tariffId, quantity: Math.min(rest, PLACES_PER_ORDER) }];
    const body = { externalReference, items };
    await confirm(
      await ask<Order>({ service: 'orders', operation: 'createOrder', method: 'POST', path: ORDERS, body }),
    );
  }
};
