import { setTimeout as delay } from 'node:timers/promises';
import { type Client, openClient } from '@boxoffice/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorised } from '../../src/client.ts';
import { type Product, startProduct } from '../../src/product.ts';

const HOST = 'tickets.opera.example';

let product: Product;
let full: Client;
beforeAll(async () => {
  product = await startProduct();
  full = await authorised(product, 'opera', 'full');
});
afterAll(async () => {
  await product?.stop();
  await product?.discard();
});

const guest = (firstName: string) => ({ firstName, lastName: 'Martin', email: `${firstName}@guests.example` });

/** The number of contacts with an email of these guests. */
const contactsOf = async (...names: readonly string[]): Promise<number> => {
  const counts = names.map(async (name) => {
    const { body } = await full(`/contacts/individuals?email=${encodeURIComponent(guest(name).email)}`);
    return body.data.items.length as number;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

const call = (path: string, body: object, token?: string) =>
  openClient(product.address)(`/tnwr/v1${path}`, {
    method: 'POST',
    headers: { 'x-service-host': HOST, ...(token ? { 'x-auth-token': token } : {}) },
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

  const names = Array.from({ length: 30 }, (_, index) => `Ana${index}`);
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

  const user = product.demo.users.find(({ serviceHost }) => serviceHost === HOST);
  const login = await call('/sessions', { login: user?.login, password: user?.password }, token);
  const own = { contactNumber: user?.contactNumber, paymentMethod: 'simulated', paymentToken: 'ok' };
  const bought = await call('/orders', own, String(login.headers['x-auth-token']));
  expect([bought.status, bought.body.data?.id, bought.body.data?.contactNumber]).toEqual([
    201,
    id,
    user?.contactNumber,
  ]);

  const contact = () => full(`/svc/v3/contacts/individuals/${number}`);
  for (let left = 300; left > 0 && !(await contact()).body.data.erasedAt; left -= 1) await delay(100);
  expect((await contact()).body.data).toEqual({
    contactNumber: number,
    kind: 'individual',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    erasedAt: expect.any(String),
  });
  expect(await contactsOf('Ida')).toBe(0);
});
