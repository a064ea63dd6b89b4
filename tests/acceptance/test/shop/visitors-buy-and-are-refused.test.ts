import { type Json, openClient, openVisitor, waitUntil } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { must, usePartner, useSharedProduct } from '../product.ts';

const HOST = 'tickets.opera.example';

const product = useSharedProduct();
const full = usePartner(product);

/** The first user of the point of sale. */
const user = () => {
  const found = product.demo.users.find(({ serviceHost }) => serviceHost === HOST);
  if (!found) throw new Error('demo.json has no user of the point of sale');
  return found;
};

const guest = (firstName: string) => ({ firstName, lastName: 'Martin', email: `${firstName}@guests.example` });

/** The number of contacts with an email of these guests. */
const contactsOf = async (...names: readonly string[]): Promise<number> => {
  const counts = names.map(async (name) => {
    const { body } = await full(`/contacts/individuals?email=${encodeURIComponent(guest(name).email)}`);
    return body.data.items.length as number;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

const call = (path: string, body: object, token?: string, headers: object = {}) =>
  openClient(product.address)(`/tnwr/v1${path}`, {
    method: 'POST',
    headers: { 'x-service-host': HOST, ...(token ? { 'x-auth-token': token } : {}), ...headers },
    body,
  });

/** The token of a session that has one place in its cart. */
const withCart = async (): Promise<string> => {
  const { performanceId, productId } = product.demo.fixtures.opera?.numbered ?? {};
  const headers = { 'x-service-host': HOST };
  const { body: shown } = await openClient(product.address)(`/tnwr/v1/products/${productId}`, { headers });
  const { seatCategories } = shown.data.performances.find(({ id }: { id: string }) => id === performanceId);
  const [{ id: seatCategoryId, prices }] = seatCategories;
  const [{ tariffId }] = prices;
  const filled = await call('/shopping-cart/items', { performanceId, seatCategoryId, tariffId, quantity: 1 });
  expect(filled.status).toBe(201);
  return String(filled.headers['x-auth-token']);
};

test('a refused checkout of a guest leaves no contact, an accepted one leaves one', async () => {
  const token = await withCart();
  const buy = (name: string, more: object) => call('/orders', { contact: guest(name), ...more }, token);

  const names = ['Ana', 'Bea', 'Cleo'];
  for (const name of names) {
    const declined = await buy(name, { paymentMethod: 'simulated', paymentToken: 'declined' });
    expect([declined.status, declined.body.errorCode]).toEqual([400, 'payment_declined']);
  }
  const account = await buy('Ada', { paymentMethod: 'on_account' });
  expect([account.status, account.body.errorCode]).toEqual([403, 'payment_method_not_accessible']);
  expect(await contactsOf('Ada', ...names)).toBe(0);

  const bought = await buy('Eva', { paymentMethod: 'simulated', paymentToken: 'ok' });
  expect(bought.status).toBe(201);
  const { body } = await full(`/contacts/individuals/${bought.body.data.contactNumber}`);
  expect(body.data).toMatchObject(guest('Eva'));
  expect(await contactsOf('Eva')).toBe(1);
});

test('a guest whose payment fails and who then buys after a login leaves no guest contact', async () => {
  const token = await withCart();
  const first = await call('/orders', { contact: guest('Ida'), paymentMethod: 'external' }, token);
  expect(first.status).toBe(201);
  const { id, contactNumber: number } = first.body.data;
  expect(await contactsOf('Ida')).toBe(1);
  const { body: paid } = await full(`/svc/v3/orders/${id}/payments`);
  const [{ id: paymentId }] = paid.data.items;
  const failed = { method: 'PATCH', body: { status: 'failed' } };
  expect((await full(`/svc/v3/orders/${id}/payments/${paymentId}`, failed)).status).toBe(200);

  const { login: name, password, contactNumber } = user();
  const login = await call('/sessions', { login: name, password }, token);
  const own = { contactNumber, paymentMethod: 'simulated', paymentToken: 'ok' };
  const bought = await call('/orders', own, String(login.headers['x-auth-token']));
  expect([bought.status, bought.body.data?.id, bought.body.data?.contactNumber]).toEqual([201, id, contactNumber]);

  const contact = () => full(`/svc/v3/contacts/individuals/${number}`);
  await waitUntil(async () => Boolean((await contact()).body.data.erasedAt), { what: 'the guest to be erased' });
  expect((await contact()).body.data).toEqual({
    contactNumber: number,
    kind: 'individual',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    erasedAt: expect.any(String),
  });
  expect(await contactsOf('Ida')).toBe(0);
});

interface Sold {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  /** A tariff for members, and one for all visitors. */
  readonly member: string;
  readonly normal: string;
}

/** A seat category that is sold at a tariff for members and at another one. */
const soldToMembers = async (): Promise<Sold> => {
  const { body: listed } = await full('/svc/v3/catalog/tariffs');
  const members = new Set(listed.data.items.flatMap((one: Json) => (one.criterion === 'member' ? [one.id] : [])));
  const { body: products } = await full('/svc/v3/catalog/products?type=show&state=running&limit=100');
  for (const { performances } of products.data.items) {
    for (const { id: performanceId, state, prices, seatCategories } of performances) {
      for (const { id: seatCategoryId } of seatCategories) {
        const here = prices.filter((price: Json) => price.seatCategoryId === seatCategoryId);
        const member = here.find(({ tariffId }: Json) => members.has(tariffId))?.tariffId;
        const normal = here.find(({ tariffId }: Json) => !members.has(tariffId))?.tariffId;
        if (state === 'on_sale' && member && normal) return { performanceId, seatCategoryId, member, normal };
      }
    }
  }
  throw new Error('nothing is sold to members');
};

test('a visitor who is refused a tariff buys at another tariff in the same session, with and without Idempotency-Key', async () => {
  const { member, normal, ...place } = await soldToMembers();
  const { login: name, password } = user();
  for (const key of [{}, { 'idempotency-key': 'one' }]) {
    const login = await call('/sessions', { login: name, password });
    const token = String(login.headers['x-auth-token']);
    const add = (tariffId: string, headers: object) =>
      call('/shopping-cart/items', { ...place, tariffId, quantity: 1 }, token, headers);
    const refused = await add(member, key);
    expect([refused.status, refused.body.errorCode]).toEqual([403, 'tariff_not_accessible']);
    const added = await add(normal, {});
    expect([added.status, added.body.errorCode]).toEqual([201, undefined]);
  }
});

// Last: it closes a product.
test('a bought ticket says what was sold in carts, orders and documents, also after the product has closed', async () => {
  const { productId, performanceId } = product.demo.fixtures.opera?.numbered ?? {};
  const { login, password, contactNumber } = user();
  const visitor = openVisitor(openClient(product.address), HOST);
  await must(visitor, '/tnwr/vexp/sessions', 'POST', { login, password });
  const shown = await must(full, `/svc/v3/catalog/products/${productId}`);
  const performance = await must(full, `/svc/v3/catalog/performances/${performanceId}`);
  const { seatCategories } = (await must(visitor, `/tnwr/vexp/products/${productId}?lang=fr`)).performances.find(
    ({ id }: { id: string }) => id === performanceId,
  );
  const [{ id: seatCategoryId, name: seatCategory, prices }] = seatCategories;
  const [{ tariffId, tariff }] = prices;
  const cart = await must(visitor, '/tnwr/vexp/shopping-cart/items?lang=fr', 'POST', {
    performanceId,
    seatCategoryId,
    tariffId,
  });
  const { venue, timeZone } = performance;
  const sold = {
    productName: shown.name.fr,
    startDate: performance.startDate,
    timeZone,
    venue: { name: venue.name, city: venue.city },
    seatCategory,
    tariff,
  };
  expect([cart.expired, ...Object.values(cart.items)]).toEqual([false, expect.objectContaining(sold)]);
  const bought = await must(visitor, '/tnwr/vexp/orders', 'POST', {
    contactNumber,
    paymentMethod: 'simulated',
    paymentToken: 'ok',
  });
  for (const state of ['suspended', 'closed'])
    await must(full, `/svc/v3/catalog/products/${productId}`, 'PATCH', { state });
  const order = await must(visitor, `/tnwr/vexp/orders/${bought.id}?lang=fr`);
  expect(Object.values(order.items)).toEqual([expect.objectContaining(sold)]);
  const [{ ticketId }] = Object.values(order.items) as [{ ticketId: string }];
  const isIssued = async () => (await full(`/svc/v3/tickets/${ticketId}`)).status === 200;
  await waitUntil(isIssued, { what: 'the ticket' });
  const document = (type: string) =>
    full(`/svc/v3/tickets/${ticketId}/document?lang=fr`, { headers: { accept: type } });
  const [pdf, svg] = [await document('application/pdf'), await document('image/svg+xml')];
  expect([pdf.headers['content-type'], pdf.bytes.subarray(0, 5).toString()]).toEqual(['application/pdf', '%PDF-']);
  expect(pdf.bytes.subarray(-6).toString()).toContain('%%EOF');
  const shop = await must(visitor, `/tnwr/vexp/tickets/${ticketId}/document?lang=fr`);
  const drawn = Buffer.from(shop.base64, 'base64');
  expect([shop.contentType, drawn.subarray(0, 5).toString()]).toEqual(['application/pdf', '%PDF-']);
  // The shop's has its look, that of the institution API has none.
  expect(drawn.equals(pdf.bytes)).toBe(false);
  expect(await must(visitor, `/tnwr/vexp/tickets/${ticketId}?lang=fr`)).toMatchObject(sold);
  expect(svg.headers['content-type']).toBe('image/svg+xml');
  expect(svg.headers['x-content-type-options']).toBe('nosniff');
  for (const text of [venue.name, seatCategory, tariff]) expect(svg.text).toContain(text);
});
