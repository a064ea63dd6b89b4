import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorised, type Client, clientOf } from '../../src/client.ts';
import { type Product, startProduct } from '../../src/product.ts';

const HOST = 'tickets.opera.example';

let product: Product;
let full: Client;
beforeAll(async () => {
  product = await startProduct();
  full = await authorised(product, 'opera', 'full');
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await product?.discard();
});

const guest = (firstName: string) => ({ firstName, lastName: 'Martin', email: `${firstName}@guests.example` });

/** How many contacts have an email of these guests. */
const contactsOf = async (...names: readonly string[]): Promise<number> => {
  const counts = names.map(async (name) => {
    const { body } = await full(`/contacts/individuals?email=${encodeURIComponent(guest(name).email)}`);
    return body.data.items.length as number;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

test('checkouts of guests that are refused leave no contact, the accepted one leaves its own', async () => {
  const { performanceId, productId } = product.demo.fixtures.opera?.numbered ?? {};
  const shop = clientOf(product);
  const { body: shown } = await shop(`/tnwr/v1/products/${productId}`, { headers: { 'x-service-host': HOST } });
  const { seatCategories } = shown.data.performances.find(({ id }: { id: string }) => id === performanceId);
  const [{ id: seatCategoryId, prices }] = seatCategories;
  const [{ tariffId }] = prices;
  const call = (path: string, body: object, token?: string) =>
    shop(`/tnwr/v1${path}`, {
      method: 'POST',
      headers: { 'x-service-host': HOST, ...(token ? { 'x-auth-token': token } : {}) },
      body,
    });
  const filled = await call('/shopping-cart/items', { performanceId, seatCategoryId, tariffId, quantity: 1 });
  expect(filled.status).toBe(201);
  const token = String(filled.headers['x-auth-token']);
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
}, 120_000);
