import { Agent } from 'node:https';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Hot } from '../client/buyer.ts';
import { type Exchanged, exchange } from '../client/exchange.ts';

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
  send(method: string, path: string, body?: object, token?: string): Promise<Exchanged>;
  close(): void;
}

/** Creates a visitor of the gateway at `origin`, with `connections` connections. The certificate is not verified. */
export const createVisitor = (origin: string, connections = 1): Visitor => {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
  return {
    async send(method, path, body, token) {
      const headers = {
        ...BROWSER,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { 'x-auth-token': token }),
      };
      const answer = await exchange(
        { agent, hostname, port, method, path, headers },
        body === undefined ? undefined : JSON.stringify(body),
      );
      if (answer.http >= 300) throw new Error(`${method} ${path}: ${answer.http} ${answer.body}`);
      return answer;
    },
    close: () => agent.destroy(),
  };
};

export const CART_ITEMS = '/tnwr/v1/shopping-cart/items';
export const ORDERS = '/tnwr/v1/orders';

const tokenIn = ({ headers }: Exchanged): string => String(headers['x-auth-token'] ?? '');

/** Puts the first place into the cart of a new visitor: holds it and creates the session, whose token it returns. */
export const fillCart = async (visitor: Visitor, hot: Hot): Promise<{ answer: Exchanged; token: string }> => {
  const answer = await visitor.send('POST', CART_ITEMS, { ...hot, quantity: 1 });
  return { answer, token: tokenIn(answer) };
};

let guests = 0;

/** Buys the cart as a guest with a unique email address, by the simulated method. */
export const checkOut = (visitor: Visitor, token: string): Promise<Exchanged> => {
  guests += 1;
  const contact = { firstName: 'Ana', lastName: `Martin ${guests}`, email: `guest${guests}@example.org` };
  return visitor.send('POST', ORDERS, { contact, paymentMethod: 'simulated', paymentToken: 'ok' }, token);
};

/** The data of a response, compressed or not. */
export const dataOf = ({ headers, body }: Exchanged): Readonly<Record<string, unknown>> => {
  const coding = headers['content-encoding'];
  const plain = coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
  return JSON.parse(plain.toString()).data;
};
