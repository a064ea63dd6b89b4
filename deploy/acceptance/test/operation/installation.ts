import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { authorised, type Client } from '../../src/client.ts';
import { type Product, startProduct } from '../../src/product.ts';

/** An installation that is looked at: its figures, and a partner that buys in it. */
export interface Watched {
  readonly product: Product;
  readonly partner: Client;
  /** What Prometheus would get. */
  figures(): Promise<string>;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Starts the product with an operations port, and settings of the caller's own. */
export const startWatched = async (settings: Readonly<Record<string, string>>): Promise<Watched> => {
  const port = await freePort();
  const product = await startProduct({ OPERATIONS_PORT: `${port}`, ...settings });
  return {
    product,
    partner: await authorised(product, 'opera', 'full'),
    figures: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
  };
};

interface Order {
  readonly id: string;
  readonly cancellation: { readonly settledAt: string | null } | null;
}

/** Buys a ticket and cancels it, all within one trace of the partner's; answers the order, when its cancellation is settled. */
export const buyAndCancel = async ({ product, partner }: Watched, traceparent: string): Promise<Order> => {
  const { performanceId } = product.demo.fixtures.opera?.numbered ?? { performanceId: '' };
  const call = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const reply = await partner(`/svc/v3${path}`, { method, body, headers: { traceparent } });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body.data;
  };
  interface Performance {
    readonly prices: readonly { readonly seatCategoryId: string; readonly tariffId: string }[];
  }
  const { prices } = await call<Performance>('GET', `/catalog/performances/${performanceId}`);
  const [price] = prices;
  const item = { performanceId, seatCategoryId: price?.seatCategoryId, tariffId: price?.tariffId, quantity: 1 };
  const { id } = await call<Order>('POST', '/orders', { items: [item] });
  await call('POST', `/orders/${id}/confirmation`, { onAccount: true });
  await call('POST', `/orders/${id}/cancellation`, { reason: 'ill' });
  let order: Order | undefined;
  const giveUpAt = performance.now() + 10_000;
  while (!order?.cancellation?.settledAt) {
    if (performance.now() > giveUpAt) throw new Error(`not settled: ${JSON.stringify(order)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    order = (await partner(`/svc/v3/orders/${id}`)).body.data;
  }
  return order;
};
