import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizationOf, type Credentials, openClient, waitUntil } from '@boxoffice/testkit';
import { authorizationFor, createBuyer, holdOne, putOnSale } from '../client/buyer.ts';
import { type Product, startProduct, UNLIMITED } from '../measure/product.ts';

const A_SECOND = 20;
const SECONDS = 20;
/** The first orders warm the product up and are not counted. */
const WARM_UP = A_SECOND * 3;

/** Opens a stream of events on a connection of its own. @throws {Error} unless it is answered 200 */
const openStream = (product: Product, authorization: string): Promise<IncomingMessage> =>
  new Promise((opened, failed) => {
    const headers = { authorization, accept: 'text/event-stream' };
    const ca = readFileSync(product.caFile);
    const options = { headers, ca, agent: false };
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
export const measureLatency = async (settings: Readonly<Record<string, string>>): Promise<number[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
  const product = await startProduct(directory, settings);
  try {
    const authorization = await authorizationFor(product);
    const buyer = createBuyer(product, authorization);
    const orders = A_SECOND * SECONDS;
    const hot = await putOnSale(buyer, orders);
    const taken: number[] = [];
    const stream = await openStream(product, authorization);
    readEvents(stream, ({ type, occurredAt }) => {
      if (type === 'order.created') taken.push(Date.now() - Date.parse(occurredAt));
    });
    const started = Date.now();
    for (let index = 0; index < orders; index += 1) {
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(0, started + (index * 1_000) / A_SECOND - Date.now())),
      );
      const { http, details } = await holdOne(buyer, hot);
      if (http !== 201) throw new Error(`${http}: ${details}`);
    }
    await waitUntil(async () => taken.length >= orders, { what: 'the event of each order', withinMs: 600_000 });
    stream.destroy();
    buyer.close();
    return taken.slice(WARM_UP);
  } finally {
    await product.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};

const STREAMS = 1_000;
/** Streams that one client may have. */
const PER_CLIENT = 20;

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1_024;

/** The authorization of new clients, as many as the streams need. */
const clientsFor = async (product: Product, authorization: string): Promise<string[]> => {
  const ca = readFileSync(product.caFile, 'utf8');
  const client = openClient({ baseUrl: product.baseUrl, ca });
  const all: string[] = [];
  for (let nth = 0; nth < STREAMS / PER_CLIENT; nth += 1) {
    const body = { name: `streams ${nth}`, scopes: ['events:read', 'orders:read'] };
    const made = await client('/svc/v3/clients', { method: 'POST', headers: { authorization }, body });
    if (made.status !== 201) throw new Error(`a client was answered ${made.status}: ${made.text}`);
    all.push(await authorizationOf(client, made.body.data as Credentials));
  }
  return all;
};

/** Bytes of memory that open streams take in a process that has everything, gateway included. */
export const measureStreams = async (): Promise<{ streams: number; bytes: number; everyEventMs: number }> => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
  const product = await startProduct(directory, UNLIMITED);
  try {
    const authorization = await authorizationFor(product);
    const buyer = createBuyer(product, authorization);
    const hot = await putOnSale(buyer, 10);
    const clients = await clientsFor(product, authorization);
    const before = residentBytes(product.pid);
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
    await holdOne(buyer, hot);
    const what = 'every stream to have the event';
    await waitUntil(async () => received >= streams.length, { what, withinMs: 600_000, everyMs: 10 });
    const everyEventMs = performance.now() - heldAt;
    const bytes = residentBytes(product.pid) - before;
    for (const stream of streams) stream.destroy();
    buyer.close();
    return { streams: streams.length, bytes, everyEventMs };
  } finally {
    await product.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};
