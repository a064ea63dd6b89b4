import { authorizationFor, confirm, createBuyer, holdOne } from '../client/buyer.ts';
import type { Product } from '../measure/product.ts';
import { sellInShop } from '../shop/sell.ts';
import { checkOut, createVisitor, fillCart } from '../shop/visitor.ts';

/** A sequence of requests that can be repeated as often as one likes. */
export interface Operation {
  readonly name: string;
  /** How many requests one `act` makes. */
  readonly requests: number;
  /** Performs the sequence on the given connection. @throws {Error} on an error response */
  act(connection: number): Promise<void>;
  close(): void;
}

/** Enough places for every purchase of a long measurement. */
const PLACES = 100_000;

/** What partners and visitors do most, over HTTPS through the gateway, on so many connections. */
export const operationsOf = async (product: Product, connections: number): Promise<readonly Operation[]> => {
  const authorization = await authorizationFor(product);
  const { clientId, clientSecret } = product.client('full');
  const { hot, productId } = await sellInShop(product, PLACES);
  const buyers = Array.from({ length: connections }, () => createBuyer(product, authorization));
  const visitors = Array.from({ length: connections }, () => createVisitor(product.baseUrl));

  /** A request of a partner. */
  const ask = async (connection: number, method: string, path: string, body?: object): Promise<void> => {
    const answer = await buyers[connection]?.send(method, path, body);
    if (!answer || answer.http >= 300) throw new Error(`${method} ${path}: ${answer?.http} ${answer?.details}`);
  };
  const read = (name: string, path: string): Operation => ({
    name,
    requests: 1,
    act: (connection) => ask(connection, 'GET', path),
    close() {},
  });
  const visit = (name: string, path: string): Operation => ({
    name,
    requests: 1,
    act: async (connection) => void (await visitors[connection]?.send('GET', path)),
    close() {},
  });
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };

  return [
    {
      name: 'token',
      requests: 1,
      act: (connection) => ask(connection, 'POST', '/auth/token', new URLSearchParams(form)),
      close() {},
    },
    read('list of contacts', '/svc/v3/contacts/individuals?limit=20'),
    read('list of products', '/svc/v3/catalog/products?limit=20'),
    read('performance', `/svc/v3/catalog/performances/${hot.performanceId}`),
    {
      name: 'order, confirmed',
      requests: 2,
      async act(connection) {
        const buyer = buyers[connection];
        if (!buyer) return;
        const { data, http, details } = await holdOne(buyer, hot);
        if (http !== 201) throw new Error(`hold: ${http} ${details}`);
        const confirmed = await confirm(buyer, data.id);
        if (confirmed.http !== 200) throw new Error(`confirmation: ${confirmed.http} ${confirmed.details}`);
      },
      close() {},
    },
    visit('shop: list of products', '/tnwr/v1/products?limit=20&type=show'),
    visit('shop: product', `/tnwr/v1/products/${productId}`),
    {
      name: 'shop: cart and checkout',
      requests: 2,
      async act(connection) {
        const visitor = visitors[connection];
        if (!visitor) return;
        const { token: session } = await fillCart(visitor, hot);
        await checkOut(visitor, session);
      },
      close() {
        for (const one of [...buyers, ...visitors]) one.close();
      },
    },
  ];
};
