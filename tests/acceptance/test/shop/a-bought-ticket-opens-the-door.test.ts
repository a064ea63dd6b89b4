import { type Client, type Json, openClient, openVisitor, waitUntil } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findDemoClient, signIn } from '../../src/product.ts';
import { must, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const full = usePartner(product);
/** A steward who signed in with the role `door`. */
let door: Client;
const SHOP = 'tickets.opera.example';

beforeAll(async () => {
  const user = product.demo.apiUsers.find(({ institution, role }) => institution === 'opera' && role === 'door');
  if (!user) throw new Error('demo.json has no steward');
  door = (await signIn(product, findDemoClient(product, 'opera', 'web'), user)).client;
});

/** A guest buys a place of the first show that is available; returns the order as the shop's page reads it. */
const buyAsGuest = async (
  serviceHost: string,
  visitor: Client = openVisitor(openClient(product.address), serviceHost),
): Promise<Json> => {
  const shows = Object.values(await must(visitor, '/tnwr/v1/products?type=show&limit=50')) as Json[];
  const show = shows.find(({ onSale, availability }) => onSale && availability === 'available');
  const { performances } = await must(visitor, `/tnwr/v1/products/${show?.id}`);
  const [item] = performances.flatMap(({ id: performanceId, onSale: isOnSale, seatCategories }: Json) =>
    seatCategories
      .filter(({ free, prices }: Json) => isOnSale && free > 0 && prices.length > 0)
      .map(({ id, prices }: Json) => ({
        performanceId,
        seatCategoryId: id,
        tariffId: prices[0].tariffId,
        quantity: 1,
      })),
  );
  await must(visitor, '/tnwr/v1/shopping-cart/items', 'POST', item);
  const contact = { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.org' };
  const { id } = await must(visitor, '/tnwr/v1/orders', 'POST', {
    contact,
    paymentMethod: 'simulated',
    paymentToken: 'ok',
  });
  // Tickets are issued with the purchase, or just after it where that takes long.
  const isIssued = ({ items }: Json) => (Object.values(items) as Json[]).every(({ barcode }) => barcode);
  return waitUntil(
    async () => {
      const order = await must(visitor, `/tnwr/vexp/orders/${id}`);
      return isIssued(order) && order;
    },
    { what: `the tickets of ${id}` },
  );
};

const codeOf = (order: Json): string => {
  const [{ barcode }] = Object.values(order.items) as [{ barcode: string }];
  return barcode;
};

describe('at a point of sale with electronic tickets', () => {
  test('the code that a guest was shown opens the door, once', async () => {
    const order = await buyAsGuest(SHOP);
    expect(order).toMatchObject({ state: 'confirmed', ticketDelivery: 'electronic' });
    const barcode = codeOf(order);
    const [ticket] = (await must(full, `/svc/v3/tickets?orderId=${order.id}`)).items;
    expect(ticket).toMatchObject({ status: 'printed', printedAt: ticket.createdAt });
    const first = await door('/svc/v3/tickets/control', { method: 'POST', body: { barcode, gate: 'north' } });
    expect([first.status, first.body.data?.status]).toEqual([200, 'controlled']);
    const again = await door('/svc/v3/tickets/control', { method: 'POST', body: { barcode, gate: 'south' } });
    expect([again.status, again.body.status]).toEqual([409, 'ticket_already_controlled']);
  });
});

describe('at a point of sale whose tickets are printed', () => {
  const serviceHost = 'desk.opera.example';
  beforeAll(async () => {
    const { createdAt: _, updatedAt: __, ...like } = await must(full, `/svc/v3/catalog/points-of-sale/${SHOP}`);
    await must(full, '/svc/v3/catalog/points-of-sale', 'POST', { ...like, serviceHost, ticketDelivery: 'print' });
  });

  test('the code opens the door only after printing', async () => {
    const order = await buyAsGuest(serviceHost);
    expect(order).toMatchObject({ state: 'confirmed', ticketDelivery: 'print' });
    const control = () => door('/svc/v3/tickets/control', { method: 'POST', body: { barcode: codeOf(order) } });
    const early = await control();
    expect([early.status, early.body.status]).toEqual([412, 'ticket_not_printed']);
    await must(full, '/svc/v3/tickets/printing', 'POST', { orderId: order.id });
    expect((await control()).body.data?.status).toBe('controlled');
  });
});

describe('a shopper cancels', () => {
  const pointOfSale = `/svc/v3/catalog/points-of-sale/${SHOP}`;
  const allow = (shopperCancellationMinutes: number | null) =>
    must(full, pointOfSale, 'PATCH', { shopperCancellationMinutes });
  /** The point of sale is read anew within three seconds: orders of their own tell. */
  const known = (minutes: number | null) =>
    waitUntil(
      async () => {
        const { moved, cancel } = await bought();
        await moved(new Date(Date.now() + 90 * 60_000).toISOString());
        const [status] = await cancel();
        return (status === 200) === (minutes !== null && minutes < 90);
      },
      { what: `${minutes} minutes to count`, everyMs: 100 },
    );
  const bought = async () => {
    const visitor = openVisitor(openClient(product.address), SHOP);
    const { id, items } = await buyAsGuest(SHOP, visitor);
    const [{ performanceId, startDate }] = Object.values(items) as [{ performanceId: string; startDate: string }];
    // The next request of the shopper goes by it: views of the catalogue may be a second old, the rule never is.
    const moved = (to: string) =>
      must(full, `/svc/v3/catalog/performances/${performanceId}`, 'PATCH', { startDate: to });
    const cancel = async () => {
      const { status, body } = await visitor(`/tnwr/v1/orders/${id}/cancellation`, { method: 'POST', body: {} });
      return [status, body.errorCode ?? body.data.state];
    };
    return { startDate, moved, cancel };
  };

  test('until the first performance starts, as it is dated now', async () => {
    const { startDate, moved, cancel } = await bought();
    await moved(new Date(Date.now() - 60_000).toISOString());
    expect(await cancel()).toEqual([400, 'order_not_cancellable']);
    await moved(startDate);
    expect(await cancel()).toEqual([200, 'cancelled']);
  });

  test('so long before it as the point of sale says, and never where that is null', async () => {
    expect(await must(full, pointOfSale)).toMatchObject({ shopperCancellationMinutes: 0 });
    const { moved, cancel } = await bought();
    await moved(new Date(Date.now() + 90 * 60_000).toISOString());
    for (const minutes of [120, null]) {
      expect(await allow(minutes)).toMatchObject({ shopperCancellationMinutes: minutes });
      await known(minutes);
      expect(await cancel()).toEqual([400, 'order_not_cancellable']);
    }
    await allow(60);
    await known(60);
    expect(await cancel()).toEqual([200, 'cancelled']);
    await allow(0);
  });
});

describe('in family A', () => {
  const items = async () => {
    const { performanceId } = product.demo.fixtures.opera?.numbered ?? {};
    const { prices } = await must(full, `/svc/v3/catalog/performances/${performanceId}`);
    const [{ seatCategoryId, tariffId }] = prices;
    return [{ performanceId, seatCategoryId, tariffId }];
  };
  const order = async (more: object): Promise<Json> =>
    must(full, '/svc/v3/orders', 'POST', { items: await items(), ...more });
  const statusAfterConfirming = async ({ id }: Json): Promise<string> => {
    await must(full, `/svc/v3/orders/${id}/confirmation`, 'POST', { onAccount: true });
    const issued = async () => (await must(full, `/svc/v3/tickets?orderId=${id}`)).items[0];
    return (await waitUntil<Json>(issued, { what: `the ticket of ${id}` })).status;
  };

  test('a pass admits as often as its product said when it was sold, and is found by the number of its order', async () => {
    const tariffId = (await items())[0]?.tariffId;
    const sell = async (entries: string) => {
      const stock = { code: 'STOCK', name: { en: 'Pass' }, numbered: false, capacity: 5 };
      const period = {
        startDate: new Date(Date.now() - 86_400_000).toISOString(),
        durationMinutes: 10_000,
        venue: { name: 'Grand Théâtre' },
        timeZone: 'Europe/Zurich',
        seatCategories: [stock],
        prices: [{ seatCategory: stock.code, tariffId, amount: 4_000 }],
      };
      const { id, performances } = await must(full, '/svc/v3/catalog/products', 'POST', {
        ...{ code: `pass-${entries}-${Date.now()}`, type: 'pass', name: { en: 'Pass' }, state: 'running' },
        ...{ entries, performances: [period] },
      });
      const [{ id: performanceId, seatCategories }] = performances;
      const item = { performanceId, seatCategoryId: seatCategories[0].id, tariffId };
      const sold = await must(full, '/svc/v3/orders', 'POST', { items: [item], ticketDelivery: 'electronic' });
      await must(full, `/svc/v3/catalog/products/${id}`, 'PATCH', { entries: 'once' });
      expect(await statusAfterConfirming(sold)).toBe('printed');
      const found = await door(`/svc/v3/tickets?performanceId=${performanceId}&q=${sold.number}`);
      return found.body.data.items[0].id;
    };
    const controls = async (ticketId: string) => {
      const control = async () => {
        const { body } = await door(`/svc/v3/tickets/${ticketId}/control`, { method: 'POST', body: {} });
        return body.data?.status ?? body.status;
      };
      return [await control(), await control()];
    };
    expect(await controls(await sell('unlimited'))).toEqual(['controlled', 'controlled']);
    expect(await controls(await sell('daily'))).toEqual(['controlled', 'ticket_already_controlled']);
  });

  test('an order has the delivery that it names, else that of its point of sale, else print', async () => {
    const [plain, own, sold] = [
      await order({}),
      await order({ ticketDelivery: 'electronic' }),
      await order({ pointOfSale: SHOP }),
    ];
    expect([plain, own, sold].map(({ ticketDelivery }) => ticketDelivery)).toEqual([
      'print',
      'electronic',
      'electronic',
    ]);
    expect(await statusAfterConfirming(plain)).toBe('not_printed');
    expect(await statusAfterConfirming(own)).toBe('printed');
    expect(await statusAfterConfirming(sold)).toBe('printed');
  });
});
