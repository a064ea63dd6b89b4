import { Agent } from 'node:https';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openClient, type Reply } from '@boxoffice/testkit';
import type { Hot } from '../client/buyer.ts';

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

/** Creates a visitor of the gateway at `origin`, with `connections` connections. The certificate is not verified. */
export const createVisitor = (origin: string, connections = 1): Visitor => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
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
export const fillCart = async (visitor: Visitor, hot: Hot): Promise<{ answer: Reply; token: string }> => {
  const answer = await visitor.send('POST', CART_ITEMS, { ...hot, quantity: 1 });
  return { answer, token: tokenIn(answer) };
};

let guests = 0;

/** Buys the cart as a guest with a unique email address, by the simulated method. */
export const checkOut = (visitor: Visitor, token: string): Promise<Reply> => {
  guests += 1;
  const contact = { firstName: 'Ana', lastName: `Martin ${guests}`, email: `guest${guests}@example.org` };
  return visitor.send('POST', ORDERS, { contact, paymentMethod: 'simulated', paymentToken: 'ok' }, token);
};

/** The data of a response, compressed or not. */
export const decodedDataOf = ({ headers, bytes }: Reply): Readonly<Record<string, unknown>> => {
  const coding = headers['content-encoding'];
  const plain = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
  return JSON.parse(plain.toString()).data;
};
