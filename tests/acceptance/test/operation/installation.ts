import { openPostbox } from '@boxoffice/service/testkit';
import { findFreePort, type Json, openClient, openVisitor, type Reply, waitUntil } from '@boxoffice/testkit';
import { authoriseDemoClient, startProduct } from '../../src/product.ts';

/** Starts the product with an operations port and the given settings, and a partner that buys in it. */
export async function startWatchedProduct(settings: Readonly<Record<string, string>>) {
  const port = await findFreePort();
  const product = await startProduct({ OPERATIONS_PORT: `${port}`, ...settings });
  return {
    product,
    partner: await authoriseDemoClient(product, 'opera', 'full'),
    /** The text that Prometheus scrapes. */
    metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    async close() {
      await product.stop();
      await product.discard();
    },
  };
}

export type Watched = Awaited<ReturnType<typeof startWatchedProduct>>;

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
  const { prices } = (await call('GET', `/catalog/performances/${performanceId}`)).body.data;
  const [{ seatCategoryId, tariffId }] = prices;
  const item = { performanceId, seatCategoryId, tariffId, quantity: 1 };
  const { id } = (await call('POST', '/orders', { items: [item] })).body.data;
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
    ({ id }: Json) => id === performanceId,
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
  const isSettled = async () => (await partner(path)).body.data.cancellation?.settledAt;
  await waitUntil(isSettled, { what: `the cancellation of ${id} to be settled`, withinMs: 60_000, everyMs: 20 });
}

/** A span as received. */
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

/** Starts a receiver of OTLP traces over HTTP, in JSON. */
export async function openReceiver() {
  const spans: Received[] = [];
  /** The media types and the `authorization` headers received. */
  const headers: (string | undefined)[] = [];
  const postbox = await openPostbox<Json>((posted, response) => {
    headers.push(posted.headers['content-type'], posted.headers.authorization);
    spans.push(...parseSpans(posted.body));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }, '/v1/traces');
  return { ...postbox, spans, headers };
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

const parseSpans = ({ resourceSpans }: Json): Received[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }: Json) => {
    const service = readAttributes(resource)['service.name'];
    return scopeSpans.flatMap(({ spans }: Json) =>
      spans.map((span: Json) => ({
        parentSpanId: '',
        ...span,
        service,
        failed: span.status?.code === 2,
        attributes: readAttributes(span),
      })),
    );
  });

const readAttributes = ({ attributes }: Json): Readonly<Record<string, string | number>> =>
  Object.fromEntries(attributes.map(({ key, value }: Json) => [key, value.stringValue ?? Number(value.intValue)]));
