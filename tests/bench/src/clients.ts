import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, openClient, type Reply, requestAuthorization } from '@boxoffice/testkit';
import type { Product } from './measure/processes.ts';

// Clients of the product under load: partners, visitors of a shop, and what they do most.

export interface Answered<Data> {
  readonly http: number;
  readonly status: string;
  readonly details: string | null;
  readonly data: Data;
  /** Milliseconds from the start of the request to the last byte of the response. */
  readonly ms: number;
}

export interface Buyer {
  send<Data>(method: string, path: string, body?: object): Promise<Answered<Data>>;
  close(): void;
}

export function readAddress({ baseUrl, caFile }: Product): Address {
  return { baseUrl, ca: readFileSync(caFile, 'utf8') };
}

export function requestOperaAuthorization(product: Product): Promise<string> {
  return requestAuthorization(openClient(readAddress(product)), product.client('full'));
}

export function createBuyer(product: Product, authorization: string): Buyer {
  const address = readAddress(product);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: address.ca });
  const client = openClient(address, { agent, headers: { authorization } });
  return {
    async send<Data>(method: string, path: string, body?: object): Promise<Answered<Data>> {
      const { status: http, body: envelope, ms } = await client(path, { method, body });
      return { http, ...envelope, ms };
    },
    close: () => agent.destroy(),
  };
}

/** A successful answer. @throws {Error} for any other */
export function must<Data>(answer: Answered<Data>): Answered<Data> {
  if (answer.http >= 300) throw new Error(`${answer.http} ${answer.status}: ${answer.details}`);
  return answer;
}

export interface Hot {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
}

interface Performance {
  readonly id: string;
  readonly seatCategories: readonly { readonly id: string }[];
}

/** Puts one performance with `capacity` unnumbered places on sale; returns its product, too. */
export async function putOnSale(
  buyer: Buyer,
  capacity: number,
  startDate = '2035-06-01T18:00:00Z',
): Promise<Hot & { readonly productId: string }> {
  const create = async <Data = { id: string }>(path: string, body: object): Promise<Data> =>
    must(await buyer.send<Data>('POST', `/svc/v3/catalog/${path}`, body)).data;
  const name = { fr: 'La finale', en: 'The final', de: 'Das Finale' };
  const code = `FINAL${Date.now()}`;
  const { id: tariffId } = await create('tariffs', { code, name });
  const { id: productId } = await create('products', { code, type: 'show', name, state: 'running' });
  const performance = await create<Performance>(`products/${productId}/performances`, {
    startDate,
    venue: { name: 'Arena' },
    timeZone: 'Europe/Zurich',
    seatCategories: [{ code: 'floor', name, numbered: false, capacity }],
    prices: [{ seatCategory: 'floor', tariffId, amount: 5_000 }],
  });
  const seatCategoryId = performance.seatCategories[0]?.id ?? '';
  return { performanceId: performance.id, seatCategoryId, tariffId, productId };
}

export interface Order {
  readonly id: string;
  readonly lines: readonly { readonly place: { readonly id: string } }[];
}

export function holdOne(buyer: Buyer, { performanceId, seatCategoryId, tariffId }: Hot): Promise<Answered<Order>> {
  return buyer.send<Order>('POST', '/svc/v3/orders', {
    items: [{ performanceId, seatCategoryId, tariffId, quantity: 1 }],
  });
}

export function sellOne(
  buyer: Buyer,
  { performanceId, seatCategoryId, tariffId }: Hot,
  codes?: readonly string[],
): Promise<Answered<Order>> {
  return buyer.send<Order>('POST', '/svc/v3/orders', {
    items: [{ performanceId, seatCategoryId, tariffId, quantity: 1 }],
    confirmation: { onAccount: true },
    ...(codes && { codes }),
  });
}

export function confirm(buyer: Buyer, orderId: string): Promise<Answered<Order>> {
  return buyer.send<Order>('POST', `/svc/v3/orders/${orderId}/confirmation`, { onAccount: true });
}

const SERVICE_HOST = 'tickets.opera.example';

const BROWSER = {
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
export function createVisitor(origin: string): Visitor {
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
}

/** Puts the first place into the cart of a new visitor: holds it and creates the session, whose token it returns. */
export async function fillCart(visitor: Visitor, { performanceId, seatCategoryId, tariffId }: Hot): Promise<string> {
  const item = { performanceId, seatCategoryId, tariffId, quantity: 1 };
  const { headers } = await visitor.send('POST', '/tnwr/v1/shopping-cart/items', item);
  return String(headers['x-auth-token'] ?? '');
}

let guests = 0;

/** Buys the cart as a guest with a unique email address, by the simulated method. */
export function checkOut(visitor: Visitor, token: string): Promise<Reply> {
  guests += 1;
  const contact = { firstName: 'Ana', lastName: `Martin ${guests}`, email: `guest${guests}@example.org` };
  return visitor.send('POST', '/tnwr/v1/orders', { contact, paymentMethod: 'simulated', paymentToken: 'ok' }, token);
}

/** Orders the cart as a guest; the answer names the page of the simulated provider. */
export function checkOutOnPage(visitor: Visitor, token: string): Promise<Reply> {
  guests += 1;
  const contact = { firstName: 'Ana', lastName: `Martin ${guests}`, email: `guest${guests}@example.org` };
  return visitor.send('POST', '/tnwr/vexp/orders', { contact, paymentMethod: 'stripe' }, token);
}

/** Puts a performance with `capacity` places on sale in the opera's shop; returns its product, too. */
export async function sellInShop(product: Product, capacity: number): Promise<Hot & { readonly productId: string }> {
  const buyer = createBuyer(product, await requestOperaAuthorization(product));
  const hot = await putOnSale(buyer, capacity);
  const shop = `/svc/v3/catalog/points-of-sale/${SERVICE_HOST}`;
  const { data } = must(await buyer.send<{ tariffIds: string[] }>('GET', shop));
  must(await buyer.send('PATCH', shop, { tariffIds: [...data.tariffIds, hot.tariffId] }));
  buyer.close();
  // The shop may serve points of sale that are three seconds old.
  await delay(3_500);
  return hot;
}
