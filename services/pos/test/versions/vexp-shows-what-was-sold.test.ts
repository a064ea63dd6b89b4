import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { type Call, openFixture } from '../fixture/fixture.ts';
import { about, toOrderNumber } from '../fixture/orders.ts';
import { decodeShownContent } from '../fixture/others.ts';
import { createUserCheckout } from '../fixture/shopper.ts';

interface Cart {
  readonly id: string;
  readonly items: Readonly<Record<string, object>>;
  readonly expired?: boolean;
}

const fixture = useFixture(() => openFixture());

const SOLD = {
  productName: 'Pièce',
  startDate: '2031-05-01T18:30:00.000Z',
  timeZone: 'Europe/Zurich',
  venue: { name: 'Main hall', city: null },
  seatCategory: 'Parterre',
  tariff: 'Tarif de la vente',
  productType: 'show',
  validUntil: null,
  localStartDate: '2031-05-01T20:30:00+02:00',
  startOffset: null,
  localValidUntil: null,
};

const call = <Data>(method: string, path: string, given: Call = {}) =>
  fixture.call<Data>(method, path, { version: 'vexp', ...given });

/** A user with a cart of one item. */
const begin = async () => {
  const user = await fixture.user();
  const token = await fixture.logIn(user);
  const { performanceId, seatCategoryId, product } = fixture.catalog.show();
  const body = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const { data } = await call<Cart>('POST', '/shopping-cart/items', { token, body });
  return { user, token, product, cart: data, item: `/shopping-cart/items/${Object.keys(data.items)[0]}` };
};

/** The checkout of a new cart. */
const anotherPurchase = async (): Promise<Call> => {
  const { user, token } = await begin();
  return { token, body: createUserCheckout(user) };
};

const buy = async () => {
  const { user, ...begun } = await begin();
  const { data } = await call<Cart & { items: Record<string, { ticketId: string }> }>('POST', '/orders', {
    token: begun.token,
    body: createUserCheckout(user),
  });
  return { ...begun, order: data, ticketId: String(Object.values(data.items)[0]?.ticketId) };
};

describe('carts, orders and tickets have what a page shows', () => {
  test('as of the sale, also after the catalog has closed the product', async () => {
    const { token, product, order, ticketId } = await buy();
    Object.assign(product, { state: 'closed' });
    const { data: shown } = await call<Cart>('GET', `/orders/${order.id}`, { token });
    expect(Object.values(shown.items)).toEqual([expect.objectContaining(SOLD)]);
    const { data: listed } = await call<Record<string, Cart>>('GET', '/orders', { token });
    expect(listed[order.id]).toEqual(shown);
    expect((await call('GET', `/tickets/${ticketId}`, { token })).data).toMatchObject(SOLD);
    expect((await call<Record<string, object>>('GET', '/tickets', { token })).data[ticketId]).toMatchObject(SOLD);
  });

  test('in the language of the answer', async () => {
    const { token, cart } = await begin();
    expect(Object.values(cart.items)).toEqual([expect.objectContaining(SOLD)]);
    for (const lang of ['en', 'eng', 'en-GB']) {
      const { data } = await call<Cart>('GET', `/shopping-cart?lang=${lang}`, { token });
      const names = { productName: 'Play', seatCategory: 'Stalls', tariff: 'Tariff of the sale' };
      expect(Object.values(data.items)).toEqual([expect.objectContaining(names)]);
    }
  });

  test('an order says of each ticket whether its code opens the door', async () => {
    const { token, order, ticketId } = await buy();
    const statusOf = async () => {
      const { data } = await call<{ items: Record<string, { ticketStatus?: string }> }>('GET', `/orders/${order.id}`, {
        token,
      });
      return Object.values(data.items).map(({ ticketStatus }) => ticketStatus);
    };
    expect(await statusOf()).toEqual(['not_printed']);
    fixture.tickets.setStatus(ticketId, 'printed');
    expect(await statusOf()).toEqual(['printed']);
    fixture.tickets.mishaps.set('listShopTickets', 'fails');
    const { data } = await call<Cart>('POST', '/orders', await anotherPurchase());
    fixture.tickets.mishaps.clear();
    expect(Object.values(data.items)).toEqual([expect.objectContaining({ barcode: null, ticketStatus: null })]);
  });

  test('in the time of the venue, as the zone data of the product has it, with the offset where it comes twice', async () => {
    const { token, order, ticketId } = await buy();
    const sold = { ...about, timeZone: 'Europe/Rome', validUntil: '2026-12-12T06:00:00.000Z' };
    const as = { performanceId: 'prf_elsewhere', startDate: '2031-10-26T01:30:00.000Z', about: sold };
    const stored = fixture.orders.orders.get(order.id);
    if (stored) stored.lines = stored.lines.map((line) => ({ ...line, ...as }));
    Object.assign(fixture.tickets.tickets.get(ticketId) ?? {}, as);
    const { data } = await call<Cart>('GET', `/orders/${order.id}?lang=en`, { token });
    const ticket = await call('GET', `/tickets/${ticketId}?lang=en`, { token });
    const local = {
      localStartDate: '2031-10-26T02:30:00+01:00',
      startOffset: 'GMT+1',
      localValidUntil: '2026-12-12T07:00:00+01:00',
    };
    expect(ticket.data).toMatchObject(local);
    expect(Object.values(data.items)).toEqual([expect.objectContaining(local)]);
    expect(data).toMatchObject({ createdAt: '2026-11-20T16:05:12.000Z', localCreatedAt: '2026-11-20T17:05:12+01:00' });
  });

  test('an order has its number for people, v1 has none', async () => {
    const { token, order } = await buy();
    const path = `/orders/${order.id}`;
    expect((await call<{ number: string }>('GET', path, { token })).data.number).toBe(toOrderNumber(order.id));
    expect((await fixture.call('GET', path, { token })).data).not.toHaveProperty('number');
  });

  test('null for what an earlier release sold', async () => {
    const { token, order, ticketId } = await buy();
    const stored = fixture.orders.orders.get(order.id);
    if (stored) stored.lines = stored.lines.map(({ about: _, ...line }) => line);
    const { about: _, ...ticket } = fixture.tickets.tickets.get(ticketId) ?? {};
    fixture.tickets.tickets.set(ticketId, ticket as never);
    const nothing = { productName: null, seatCategory: null };
    // Venue and time zone are those of the performance now, once the kept catalog has it.
    const { data } = await call<Cart>('GET', `/orders/${order.id}`, { token });
    expect(Object.values(data.items)).toEqual([expect.objectContaining({ ...nothing, tariff: 'Tarif full' })]);
    const shown = { ...nothing, timeZone: null, venue: null, tariff: null };
    expect((await call('GET', `/tickets/${ticketId}`, { token })).data).toMatchObject(shown);
  });

  test('what is no show has its validity as the catalog says it now, else as of the sale', async () => {
    // Its catalog is read first when the product is there.
    const institution = 'passes';
    const { serviceHost: host } = fixture.catalog.pointOfSale({ institution });
    const { performanceId, seatCategoryId, product } = fixture.catalog.show({ institution, type: 'pass' });
    const body = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
    const begun = await call<Cart>('POST', '/shopping-cart/items', { host, body });
    const token = String(begun.token);
    const validity = async () => {
      const { data } = await call<{ items: Record<string, typeof SOLD> }>('GET', '/shopping-cart', { host, token });
      return Object.values(data.items).map(({ productType, validUntil }) => [productType, validUntil]);
    };
    expect(await validity()).toEqual([['pass', product.endDate]]);
    const stored = fixture.orders.orders.get(begun.data.id);
    const sold = { ...about, productType: 'goods', validUntil: '2031-09-30T22:00:00.000Z' };
    if (stored) stored.lines = stored.lines.map((line) => ({ ...line, about: sold }));
    expect(await validity()).toEqual([['pass', product.endDate]]);
    if (stored) stored.lines = stored.lines.map((line) => ({ ...line, performanceId: 'prf_closed' }));
    expect(await validity()).toEqual([['goods', sold.validUntil]]);
  });

  test('not under v1, whose answers have the members that they had', async () => {
    const { token, order, ticketId } = await buy();
    const { data } = await fixture.call<Cart>('GET', `/orders/${order.id}`, { token });
    const ticket = await fixture.call('GET', `/tickets/${ticketId}`, { token });
    const { startDate: _, tariff: __, ...added } = { ...SOLD, ticketStatus: null };
    for (const one of [...Object.values(data.items), ticket.data])
      for (const name of Object.keys(added)) expect(one).not.toHaveProperty(name);
    expect([ticket.data.tariff, (await fixture.call<Cart>('GET', '/shopping-cart', { token })).data.expired]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('an expired cart', () => {
  test('is an answer that says so, where v1 has an error, until the next item; it is not bought', async () => {
    const { token, cart, item, user } = await begin();
    expect((await call<Cart>('GET', '/shopping-cart', { token })).data.expired).toBe(false);
    fixture.orders.expire(cart.id);
    for (const [method, path, body] of [
      ['GET', '/shopping-cart'],
      ['PATCH', item, { beneficiaryFirstName: 'Ana' }],
      ['DELETE', item],
    ] as const) {
      const { status, data } = await call<Cart>(method, path, { token, body });
      expect([method, status, data]).toEqual([method, 200, { ...cart, expired: true }]);
      expect((await fixture.call(method, path, { token, body })).code).toBe('cart_expired');
    }
    expect((await call('POST', '/orders', { token, body: createUserCheckout(user) })).code).toBe('cart_expired');
    expect((await call<Cart>('DELETE', '/shopping-cart', { token })).data).toMatchObject({ items: {}, expired: false });
    expect((await call<Cart>('GET', '/shopping-cart', { token })).data).toMatchObject({ items: {}, expired: false });
  });
});

describe('the document of a ticket', () => {
  test('is that of an own, printed ticket, in the languages as the visitor prefers them', async () => {
    const { token, ticketId } = await buy();
    const path = `/tickets/${ticketId}/document`;
    const early = await call('GET', path, { token });
    expect([early.status, early.code]).toEqual([400, 'ticket_not_printed']);
    fixture.tickets.setStatus(ticketId, 'printed');
    const { data } = await call<{ contentType: string; base64: string }>('GET', `${path}?lang=deu`, { token });
    expect(data.contentType).toBe('application/pdf');
    expect(decodeShownContent(data.base64)).toMatchObject({ ticketIds: [ticketId], languages: ['de', 'fr', 'en'] });
    fixture.tickets.setStatus(ticketId, 'cancelled');
    expect((await call('GET', path, { token })).code).toBe('ticket_not_changeable');
  });

  test('needs a login, and v1 has none', async () => {
    const { token, ticketId } = await buy();
    const path = `/tickets/${ticketId}/document`;
    expect((await call('GET', path)).code).toBe('session_required');
    expect((await fixture.call('GET', path, { token })).status).toBe(404);
  });
});
