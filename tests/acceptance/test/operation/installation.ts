import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, findFreePort, openClient, openVisitor, type Reply, waitUntil } from '@boxoffice/testkit';
import { authoriseDemoClient, type Product, startProduct } from '../../src/product.ts';

/** An installation under observation: its metrics, and a partner that buys in it. */
export interface Watched {
  readonly product: Product;
  readonly partner: Client;
  /** The text that Prometheus scrapes. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** Starts the product with an operations port and the given settings. */
export async function startWatchedProduct(settings: Readonly<Record<string, string>>): Promise<Watched> {
  const port = await findFreePort();
  const product = await startProduct({ OPERATIONS_PORT: `${port}`, ...settings });
  return {
    product,
    partner: await authoriseDemoClient(product, 'opera', 'full'),
    metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    async close() {
      await product.stop();
      await product.discard();
    },
  };
}

interface Order {
  readonly id: string;
  readonly cancellation: { readonly settledAt: string | null } | null;
}

/** Buys a ticket; every request carries `headers`. Returns the order's id, and the trace of the purchase request. */
export async function buy(
  { product, partner }: Watched,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly id: string; readonly traceparent: string }> {
  const { performanceId } = product.demo.fixtures.opera?.numbered ?? { performanceId: '' };
  const call = async (method: string, path: string, body?: object): Promise<Reply> => {
    const reply = await partner(`/svc/v3${path}`, { method, body, headers });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply;
  };
  interface Performance {
    readonly prices: readonly { readonly seatCategoryId: string; readonly tariffId: string }[];
  }
  const { prices }: Performance = (await call('GET', `/catalog/performances/${performanceId}`)).body.data;
  const [price] = prices;
  const item = { performanceId, seatCategoryId: price?.seatCategoryId, tariffId: price?.tariffId, quantity: 1 };
  const { id }: Order = (await call('POST', '/orders', { items: [item] })).body.data;
  const bought = await call('POST', `/orders/${id}/confirmation`, { onAccount: true });
  return { id, traceparent: String(bought.headers.traceparent) };
}

/** Buys a ticket as a guest and reads it through an order link. Returns the tokens of the session and of the link. */
export async function readOrderLink({ product }: Watched): Promise<readonly [string, string]> {
  const { performanceId, productId } = product.demo.fixtures.opera?.numbered ?? {};
  const guest = openVisitor(openClient(product.address), 'tickets.opera.example');
  const call = async (path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Reply> => {
    const reply = await guest(`/tnwr/vexp${path}`, { method: body ? 'POST' : 'GET', body, headers });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply;
  };
  const { data } = (await call(`/products/${productId}`)).body;
  const [{ id: seatCategoryId, prices }] = data.performances.find(
    ({ id }: Order) => id === performanceId,
  ).seatCategories;
  const item = { performanceId, seatCategoryId, tariffId: prices[0].tariffId };
  const session = String((await call('/shopping-cart/items', item)).headers['x-auth-token']);
  const contact = { firstName: 'Ana', email: 'ana@guests.example' };
  const bought = await call('/orders', { contact, paymentMethod: 'simulated', paymentToken: 'ok' });
  const { token } = (await call(`/orders/${bought.body.data.id}/links`, {})).body.data;
  // It needs orders, tickets and catalog within their time limits, which a busy machine may miss once.
  const read = () => guest('/tnwr/vexp/order-links/current', { headers: { 'x-order-link': token } });
  await waitUntil(async () => (await read()).status === 200, { what: 'the order behind the link', withinMs: 60_000 });
  return [session, token];
}

/** Cancels an order, and waits until its cancellation is settled. */
export async function cancel(
  { partner }: Watched,
  id: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const path = `/svc/v3/orders/${id}`;
  const reply = await partner(`${path}/cancellation`, { method: 'POST', body: { reason: 'ill' }, headers });
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  const isSettled = async () => ((await partner(path)).body.data as Order).cancellation?.settledAt;
  await waitUntil(isSettled, { what: `the cancellation of ${id} to be settled`, withinMs: 60_000, everyMs: 20 });
}

/** A span as received over OTLP/HTTP, in JSON. */
export interface Received {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** A receiver of OTLP traces. */
export interface Receiver {
  readonly url: string;
  readonly spans: Received[];
  /** The media types and the `authorization` headers received. */
  readonly headers: (string | undefined)[];
  close(): Promise<void>;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Received, 'service' | 'attributes' | 'failed'> & {
        readonly attributes: readonly Attribute[];
        readonly status?: { readonly code?: number };
      })[];
    }[];
  }[];
}

/** Starts a receiver. */
export async function openReceiver(): Promise<Receiver> {
  const spans: Received[] = [];
  const headers: Receiver['headers'] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    void textOf(request).then((text) => {
      if (request.url !== '/v1/traces') return response.writeHead(404).end();
      headers.push(request.headers['content-type'], request.headers.authorization);
      spans.push(...spansIn(JSON.parse(text)));
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const spansIn = ({ resourceSpans }: Sent): Received[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId = '', attributes, status }) => ({
        service,
        name,
        kind,
        traceId,
        spanId,
        parentSpanId,
        failed: status?.code === 2,
        attributes: plain(attributes),
      })),
    );
  });

const plain = (attributes: readonly Attribute[]): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
