// Clients of the product under load: partners, visitors of a shop, and what they do most.

import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { type Address, authorizationOf, openClient } from '@boxoffice/testkit';
import type { Product } from '../measure/product.ts';

/** A response of family A and its duration. */
export interface Answered<Data> {
  readonly http: number;
  readonly status: string;
  readonly details: string | null;
  readonly data: Data;
  /** Milliseconds from the start of the request to the last byte of the response. */
  readonly ms: number;
}

/** A client of the gateway with its own HTTPS connection. */
export interface Buyer {
  send<Data>(method: string, path: string, body?: object): Promise<Answered<Data>>;
  close(): void;
}

export const addressOf = ({ baseUrl, caFile }: Product): Address => ({ baseUrl, ca: readFileSync(caFile, 'utf8') });

/** The Authorization header of the opera's client with every scope. */
export const authorizationFor = (product: Product): Promise<string> =>
  authorizationOf(openClient(addressOf(product)), product.client('full'));

/** Creates a client with one persistent connection. */
export const createBuyer = (product: Product, authorization: string): Buyer => {
  const address = addressOf(product);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: address.ca });
  const client = openClient(address, { agent, headers: { authorization } });
  return {
    async send<Data>(method: string, path: string, body?: object): Promise<Answered<Data>> {
      const { status: http, body: envelope, ms } = await client(path, { method, body });
      return { http, ...envelope, ms };
    },
    close: () => agent.destroy(),
  };
};

/** A successful answer. @throws {Error} for any other */
export const must = <Data>(answer: Answered<Data>): Answered<Data> => {
  if (answer.http >= 300) throw new Error(`${answer.http} ${answer.status}: ${answer.details}`);
  return answer;
};

/** The ids that an order needs to name a place of the hot performance. */
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
export const putOnSale = async (
  buyer: Buyer,
  capacity: number,
  startDate = '2035-06-01T18:00:00Z',
): Promise<Hot & { readonly productId: string }> => {
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
};

/** An order, as far as the benchmarks read it. */
export interface Order {
  readonly id: string;
  readonly lines: readonly { readonly place: { readonly id: string } }[];
}

/** Holds one place. */
export const holdOne = (buyer: Buyer, { performanceId, seatCategoryId, tariffId }: Hot): Promise<Answered<Order>> =>
  buyer.send<Order>('POST', '/svc/v3/orders', { items: [{ performanceId, seatCategoryId, tariffId, quantity: 1 }] });

/** Confirms on account. */
export const confirm = (buyer: Buyer, orderId: string): Promise<Answered<Order>> =>
  buyer.send<Order>('POST', `/svc/v3/orders/${orderId}/confirmation`, { onAccount: true });
