import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { openClient, type Reply } from '@boxoffice/testkit';
import type { Product } from '../measure/product.ts';
import { authorizationFor, createBuyer, type Hot, must, putOnSale } from './buyer.ts';

/** The opera's demo shop. */
export const SERVICE_HOST = 'tickets.opera.example';

/** The headers that a visitor's browser sends besides the point of sale. */
export const BROWSER = {
  'x-service-host': SERVICE_HOST,
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'de-CH,de;q=0.9,en;q=0.7',
} as const;

/** A shop's calls of family B over persistent connections; any 4xx or 5xx response is an error. */
export interface Visitor {
  /** Sends a request; `token` is the session's. @throws {Error} on a response other than 2xx */
  send(method: string, path: string, body?: object, token?: string): Promise<Reply>;
  close(): void;
}

/** Creates a visitor of the gateway at `origin`, with one connection. The certificate is not verified. */
export const createVisitor = (origin: string): Visitor => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const client = openClient({ baseUrl: origin }, { agent, headers: BROWSER });
  return {
    async send(method, path, body, token) {
      const headers: Record<string, string> = token === undefined ? {} : { 'x-auth-token': token };
      const reply = await client(path, { method, headers, body });
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
      return reply;
    },
    close: () => agent.destroy(),
  };
};

export const CART_ITEMS = '/tnwr/v1/shopping-cart/items';
export const ORDERS = '/tnwr/v1/orders';

const tokenIn = ({ headers }: Reply): string => String(headers['x-auth-token'] ?? '');

/** Puts the first place into the cart of a new visitor: holds it and creates the session, whose token it returns. */
export const fillCart = async (
  visitor: Visitor,
  { performanceId, seatCategoryId, tariffId }: Hot,
): Promise<{ answer: Reply; token: string }> => {
  const answer = await visitor.send('POST', CART_ITEMS, { performanceId, seatCategoryId, tariffId, quantity: 1 });
  return { answer, token: tokenIn(answer) };
};

let guests = 0;

/** Buys the cart as a guest with a unique email address, by the simulated method. */
export const checkOut = (visitor: Visitor, token: string): Promise<Reply> => {
  guests += 1;
  const contact = { firstName: 'Ana', lastName: `Martin ${guests}`, email: `guest${guests}@example.org` };
  return visitor.send('POST', ORDERS, { contact, paymentMethod: 'simulated', paymentToken: 'ok' }, token);
};

/** Puts a performance with `capacity` places on sale in the opera's shop; returns its product, too. */
export const sellInShop = async (product: Product, capacity: number): Promise<Hot & { readonly productId: string }> => {
  const buyer = createBuyer(product, await authorizationFor(product));
  const hot = await putOnSale(buyer, capacity);
  const shop = `/svc/v3/catalog/points-of-sale/${SERVICE_HOST}`;
  const { data } = must(await buyer.send<{ tariffIds: string[] }>('GET', shop));
  must(await buyer.send('PATCH', shop, { tariffIds: [...data.tariffIds, hot.tariffId] }));
  buyer.close();
  // The shop may serve points of sale that are three seconds old.
  await delay(3_500);
  return hot;
};
