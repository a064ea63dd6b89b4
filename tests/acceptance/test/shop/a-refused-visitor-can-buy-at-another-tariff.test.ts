import { type Client, openClient } from '@boxoffice/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorised } from '../../src/client.ts';
import { type Product, startProduct } from '../../src/product.ts';

const HOST = 'tickets.opera.example';

type Json = ReturnType<typeof JSON.parse>;

interface Sold {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  /** A tariff for members, and one for all visitors. */
  readonly member: string;
  readonly normal: string;
}

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
  const user = product.demo.users.find(({ serviceHost }) => serviceHost === HOST);
  const shop = openClient(product.address);
  const call = (path: string, body: object, headers: Record<string, string> = {}) =>
    shop(`/tnwr/v1${path}`, { method: 'POST', headers: { 'x-service-host': HOST, ...headers }, body });
  for (const key of [{}, { 'idempotency-key': 'one' }]) {
    const login = await call('/sessions', { login: user?.login, password: user?.password });
    const token = String(login.headers['x-auth-token']);
    const add = (tariffId: string, headers: object) =>
      call('/shopping-cart/items', { ...place, tariffId, quantity: 1 }, { 'x-auth-token': token, ...headers });
    const refused = await add(member, key);
    expect([refused.status, refused.body.errorCode]).toEqual([403, 'tariff_not_accessible']);
    const added = await add(normal, {});
    expect([added.status, added.body.errorCode]).toEqual([201, undefined]);
  }
});
