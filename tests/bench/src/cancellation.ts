import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@boxoffice/testkit';
import { authorizationFor, type Buyer, confirm, createBuyer, holdOne, type Order, putOnSale } from './client/buyer.ts';
import { startProduct } from './measure/product.ts';
import { type Benchmark, quantile, round } from './measure/report.ts';

const A_SECOND = 20;
const SECONDS = 20;
const ORDERS = A_SECOND * SECONDS;
/** The first cancellations warm the product up and are not counted. */
const WARM_UP = A_SECOND * 3;
const TARGET_MS = 50;

/** Milliseconds from the request until the order records that its places are free. */
const cancelAll = async (buyers: readonly Buyer[], orders: readonly string[]): Promise<number[]> => {
  const sentAt = new Map<string, number>();
  const started = Date.now();
  await Promise.all(
    orders.map(async (id, index) => {
      const due = started + (index * 1000) / A_SECOND;
      await new Promise((resolve) => setTimeout(resolve, due - Date.now()));
      sentAt.set(id, Date.now());
      const buyer = buyers[index % buyers.length] as Buyer;
      const { http, details } = await buyer.send('POST', `/svc/v3/orders/${id}/cancellation`, {});
      if (http !== 200) throw new Error(`${http}: ${details}`);
    }),
  );
  const [first] = buyers as [Buyer];
  const taken: number[] = [];
  for (const id of orders) {
    const settledAt = await waitUntil(
      async () => (await first.send<Order>('GET', `/svc/v3/orders/${id}`)).data.cancellation?.settledAt,
      { what: `the cancellation of ${id} to be settled`, withinMs: 600_000, everyMs: 100 },
    );
    taken.push(Date.parse(settledAt) - (sentAt.get(id) ?? Number.NaN));
  }
  return taken.slice(WARM_UP);
};

const measure = async (settings: Readonly<Record<string, string>>): Promise<number[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
  const product = await startProduct(directory, settings);
  try {
    const authorization = await authorizationFor(product);
    const buyers = Array.from({ length: 8 }, () => createBuyer(product, authorization));
    const [first] = buyers as [Buyer];
    const hot = await putOnSale(first, ORDERS);
    const orders: string[] = [];
    for (let count = 0; count < ORDERS; count += 1) {
      const { data } = await holdOne(first, hot);
      const { http, details } = await confirm(first, data.id);
      if (http !== 200) throw new Error(`${http}: ${details}`);
      orders.push(data.id);
    }
    const taken = await cancelAll(buyers, orders);
    for (const buyer of buyers) buyer.close();
    return taken;
  } finally {
    await product.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};

/** Cancellation of confirmed orders: tickets cancelled and places released through messages. */
export const cancellation: Benchmark = {
  about: `time from the request to free places at ${A_SECOND} cancellations a second; with --amqp URL also over RabbitMQ`,
  async run(progress, options) {
    const amqpUrl = options.amqp;
    progress(`in-process bus, ${ORDERS} orders`);
    const inProcess = await measure({});
    progress(amqpUrl === undefined ? 'no RabbitMQ named: left out' : `RabbitMQ, ${ORDERS} orders`);
    const rabbitmq = amqpUrl === undefined ? undefined : await measure({ AMQP_URL: amqpUrl });
    const row = (name: string, taken: readonly number[]) => [name, quantile(taken, 0.5), quantile(taken, 0.99)];
    const p99 = quantile(rabbitmq ?? [], 0.99);
    return {
      name: 'cancellation',
      about: this.about,
      columns: ['', 'p50 ms', 'p99 ms'],
      rows: [row('in-process', inProcess), ...(rabbitmq ? [row('RabbitMQ', rabbitmq)] : [])],
      targets: rabbitmq
        ? [
            {
              what: 'p99 over RabbitMQ',
              target: `≤ ${TARGET_MS} ms`,
              reached: `${round(p99)} ms`,
              met: p99 <= TARGET_MS,
            },
          ]
        : [],
    };
  },
};
