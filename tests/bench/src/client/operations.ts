import type { Product } from '../measure/product.ts';
import { authorizationFor, type Buyer, confirm, createBuyer, holdOne, must } from './buyer.ts';
import { checkOut, createVisitor, fillCart, sellInShop, type Visitor } from './visitor.ts';

/** A sequence of requests that can be repeated as often as one likes. */
export interface Operation {
  readonly name: string;
  /** How many requests one `act` makes. */
  readonly requests: number;
  /** Performs the sequence on the given connection. @throws {Error} on an error response */
  act(connection: number): Promise<unknown>;
}

/** Enough places for every purchase of a long measurement. */
const PLACES = 100_000;

/** What partners and visitors do most, over HTTPS through the gateway, on so many connections. */
export const operationsOf = async (product: Product, connections: number): Promise<readonly Operation[]> => {
  const authorization = await authorizationFor(product);
  const { clientId, clientSecret } = product.client('full');
  const hot = await sellInShop(product, PLACES);
  const buyers = Array.from({ length: connections }, () => createBuyer(product, authorization));
  const visitors = Array.from({ length: connections }, () => createVisitor(product.baseUrl));
  const byBuyer = (name: string, requests: number, act: (buyer: Buyer) => Promise<unknown>): Operation => ({
    name,
    requests,
    act: (connection) => act(buyers[connection] as Buyer),
  });
  const byVisitor = (name: string, requests: number, act: (visitor: Visitor) => Promise<unknown>): Operation => ({
    name,
    requests,
    act: (connection) => act(visitors[connection] as Visitor),
  });
  const read = (name: string, path: string) => byBuyer(name, 1, async (one) => must(await one.send('GET', path)));
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return [
    byBuyer('token', 1, async (one) => must(await one.send('POST', '/auth/token', new URLSearchParams(form)))),
    read('list of contacts', '/svc/v3/contacts/individuals?limit=20'),
    read('list of products', '/svc/v3/catalog/products?limit=20'),
    read('performance', `/svc/v3/catalog/performances/${hot.performanceId}`),
    byBuyer('order, confirmed', 2, async (one) => {
      const { data } = must(await holdOne(one, hot));
      return must(await confirm(one, data.id));
    }),
    byVisitor('shop: list of products', 1, (one) => one.send('GET', '/tnwr/v1/products?limit=20&type=show')),
    byVisitor('shop: product', 1, (one) => one.send('GET', `/tnwr/v1/products/${hot.productId}`)),
    byVisitor('shop: cart and checkout', 2, async (one) => checkOut(one, (await fillCart(one, hot)).token)),
  ];
};
