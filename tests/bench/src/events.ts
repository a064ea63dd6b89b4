import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { type Credentials, openClient, readData, requestAuthorization, waitUntil } from '@boxoffice/testkit';
import { createBuyer, holdOne, must, putOnSale, readAddress, requestOperaAuthorization } from './clients.ts';
import { type Product, runWithProduct } from './measure/processes.ts';
import { type Benchmark, computeQuantile, createMaximumTarget } from './measure/report.ts';
import { readMemoryMb } from './start.ts';

const A_SECOND = 20;
const ORDERS = A_SECOND * 20;
/** The first orders warm the product up and are not counted. */
const WARM_UP = A_SECOND * 3;

/** Opens a stream of events on a connection of its own. @throws {Error} unless it is answered 200 */
const openStream = (product: Product, authorization: string): Promise<IncomingMessage> =>
  new Promise((opened, failed) => {
    const headers = { authorization, accept: 'text/event-stream' };
    const options = { headers, ca: readFileSync(product.caFile), agent: false };
    const sent = request(new URL('/svc/v3/events', product.baseUrl), options, (response) => {
      response.setEncoding('utf8');
      if (response.statusCode === 200) opened(response);
      else failed(new Error(`a stream was answered ${response.statusCode}`));
    });
    sent.on('error', failed);
    sent.end();
  });

/** Calls the listener with each event of a stream. */
const readEvents = (stream: IncomingMessage, listener: (event: { occurredAt: string; type: string }) => void): void => {
  let rest = '';
  stream.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const line = block.split('\n').find((one) => one.startsWith('data: '));
      if (line) listener(JSON.parse(line.slice('data: '.length)));
    }
  });
};

/** Milliseconds from the write of an order to its event at the reader of a stream. */
const measureLatency = async (product: Product): Promise<number[]> => {
  const authorization = await requestOperaAuthorization(product);
  const buyer = createBuyer(product, authorization);
  const hot = await putOnSale(buyer, ORDERS);
  const taken: number[] = [];
  const stream = await openStream(product, authorization);
  readEvents(stream, ({ type, occurredAt }) => {
    if (type === 'order.created') taken.push(Date.now() - Date.parse(occurredAt));
  });
  const started = Date.now();
  for (let index = 0; index < ORDERS; index += 1) {
    await delay(Math.max(0, started + (index * 1_000) / A_SECOND - Date.now()));
    must(await holdOne(buyer, hot));
  }
  await waitUntil(async () => taken.length >= ORDERS, { what: 'the event of each order', withinMs: 600_000 });
  stream.destroy();
  buyer.close();
  return taken.slice(WARM_UP);
};

const STREAMS = 1_000;
const PER_CLIENT = 20;

/** Megabytes that open streams take in a process that has everything, gateway included. */
const measureStreams = async (product: Product) => {
  const authorization = await requestOperaAuthorization(product);
  const buyer = createBuyer(product, authorization);
  const hot = await putOnSale(buyer, 10);
  const client = openClient(readAddress(product));
  const clients: string[] = [];
  for (let nth = 0; nth < STREAMS / PER_CLIENT; nth += 1) {
    const body = { name: `streams ${nth}`, scopes: ['events:read', 'orders:read'] };
    const made = await readData(client, '/svc/v3/clients', { method: 'POST', headers: { authorization }, body });
    clients.push(await requestAuthorization(client, made as Credentials));
  }
  const before = readMemoryMb(product.pid, 'VmRSS');
  const streams: IncomingMessage[] = [];
  let received = 0;
  for (const one of clients) {
    for (const stream of await Promise.all(Array.from({ length: PER_CLIENT }, () => openStream(product, one)))) {
      streams.push(stream);
      readEvents(stream, () => {
        received += 1;
      });
    }
  }
  const heldAt = performance.now();
  must(await holdOne(buyer, hot));
  await waitUntil(async () => received >= STREAMS, { what: 'every stream to have the event', withinMs: 600_000 });
  const everyEventMs = performance.now() - heldAt;
  const megabytes = readMemoryMb(product.pid, 'VmRSS') - before;
  for (const stream of streams) stream.destroy();
  buyer.close();
  return { megabytes, everyEventMs };
};

/** From the fact to the reader of the feed. */
export const events: Benchmark = {
  about: 'from a fact to the reader of a stream, memory of 1,000 streams; --amqp URL: also over RabbitMQ',
  async run(progress, { amqp }) {
    const rows: (string | number)[][] = [];
    const latency = async (name: string, settings: Readonly<Record<string, string>>): Promise<void> => {
      progress(`fact to feed, ${name}`);
      const taken = await runWithProduct(measureLatency, settings);
      rows.push([`${name}: fact to feed, p50 ms`, computeQuantile(taken, 0.5)]);
      rows.push([`${name}: fact to feed, p99 ms`, computeQuantile(taken, 0.99)]);
    };
    await latency('in-process', {});
    if (amqp !== undefined) await latency('RabbitMQ', { AMQP_URL: amqp });
    progress(`${STREAMS} streams`);
    const { megabytes, everyEventMs } = await runWithProduct(measureStreams);
    rows.push([`${STREAMS} streams, MB`, megabytes], [`an event to ${STREAMS} streams, ms`, everyEventMs]);
    return {
      columns: ['', 'figure'],
      rows,
      targets: [createMaximumTarget(`memory of ${STREAMS} open streams`, megabytes, 100, 'MB')],
    };
  },
};
