import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import type { Product } from '../measure/product.ts';
import { exchange } from './exchange.ts';

/** A response of family A and its duration. */
export interface Answered<Data> {
  readonly http: number;
  readonly status: string;
  readonly details: string | null;
  readonly data: Data;
  /** Milliseconds from the first byte sent to the last one received. */
  readonly ms: number;
}

/** A client of the gateway with its own HTTPS connection. */
export interface Buyer {
  send<Data>(method: string, path: string, body?: object): Promise<Answered<Data>>;
  close(): void;
}

/** The access token of the opera's client with every scope. */
export const tokenOf = async (product: Product): Promise<string> => {
  const { clientId, clientSecret } = product.client('full');
  const buyer = createBuyer(product, undefined);
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const { data } = await buyer.send<{ access_token: string }>('POST', '/auth/token', form);
  buyer.close();
  return data.access_token;
};

/** Creates a client with one persistent connection. */
export const createBuyer = ({ baseUrl, caFile }: Product, token: string | undefined): Buyer => {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(caFile) });
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    async send<Data>(method: string, path: string, body?: object): Promise<Answered<Data>> {
      const isForm = body instanceof URLSearchParams;
      const text = body && (isForm ? body.toString() : JSON.stringify(body));
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      const headers = text === undefined ? authorization : { ...authorization, 'content-type': type };
      const { http, body: answer, ms } = await exchange({ agent, hostname, port, method, path, headers }, text);
      return { http, ...JSON.parse(answer.toString()), ms };
    },
    close: () => agent.destroy(),
  };
};

/** The ids that an order needs to name a place of the hot performance. */
export interface Hot {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
}

/** Puts one performance with `capacity` unnumbered places on sale. */
export const putOnSale = async (buyer: Buyer, capacity: number): Promise<Hot> => {
  const must = <Data>({ http, details, data }: Answered<Data>): Data => {
    if (http >= 300) throw new Error(`${http}: ${details}`);
    return data;
  };
  const name = { fr: 'La ruée', en: 'The rush', de: 'Der Ansturm' };
  const tariff = must(
    await buyer.send<{ id: string }>('POST', '/svc/v3/catalog/tariffs', { code: `RUSH${Date.now()}`, name }),
  );
  const product = must(
    await buyer.send<{ id: string }>('POST', '/svc/v3/catalog/products', {
      code: `RUSH${Date.now()}`,
      type: 'show',
      name,
      state: 'running',
    }),
  );
  const performance = must(
    await buyer.send<{ id: string; seatCategories: { id: string }[] }>(
      'POST',
      `/svc/v3/catalog/products/${product.id}/performances`,
      {
        startDate: '2035-06-01T18:00:00Z',
        venue: { name: 'Arena' },
        timeZone: 'Europe/Zurich',
        seatCategories: [{ code: 'floor', name, numbered: false, capacity }],
        prices: [{ seatCategory: 'floor', tariffId: tariff.id, amount: 5_000 }],
      },
    ),
  );
  return {
    performanceId: performance.id,
    seatCategoryId: performance.seatCategories[0]?.id ?? '',
    tariffId: tariff.id,
  };
};

/** An order, as far as the benchmarks read it. */
export interface Order {
  readonly id: string;
  readonly state: string;
  readonly lines: readonly { readonly place: { readonly id: string } }[];
  readonly cancellation: { readonly settledAt: string | null } | null;
}

/** Holds one place. */
export const holdOne = (buyer: Buyer, hot: Hot): Promise<Answered<Order>> =>
  buyer.send<Order>('POST', '/svc/v3/orders', { items: [{ ...hot, quantity: 1 }] });

/** Confirms on account. */
export const confirm = (buyer: Buyer, orderId: string): Promise<Answered<Order>> =>
  buyer.send<Order>('POST', `/svc/v3/orders/${orderId}/confirmation`, { onAccount: true });
