import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parseTraceparent, recording, startTraces } from '../../src/index.ts';

const told: string[] = [];
const logger = { info: (line: string) => void told.push(line), warn: (line: string) => void told.push(line) };

/** The library reads these variables itself. */
const given = {
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  OTEL_SERVICE_NAME: 'opera-orders',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=opera',
  OTEL_EXPORTER_OTLP_TIMEOUT: '500',
};

interface Post {
  readonly path: string | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

const posts: Post[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    posts.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks) });
    response.end();
  });
});

beforeEach(async () => {
  told.length = 0;
  posts.length = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, given, { OTEL_EXPORTER_OTLP_ENDPOINT: url });
});
afterEach(async () => {
  for (const name of [...Object.keys(given), 'OTEL_TRACES_SAMPLER']) delete process.env[name];
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

const start = (otlpProtocol: 'http/protobuf' | 'http/json') =>
  startTraces({ otlpEndpoint: process.env.OTEL_EXPORTER_OTLP_ENDPOINT, otlpProtocol, logger });

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const someSpan = { service: 'orders', kind: 'server', name: 'createOrder', parent } as const;

test.each(['http/protobuf', 'http/json'] as const)(
  'as %s, with the headers and the name of the variables, what is left at the end',
  async (protocol) => {
    const traces = await start(protocol);
    const span = recording()?.(someSpan);
    expect(parseTraceparent(span?.traceparent)?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(span?.traceparent).not.toBe(parent);
    span?.end();
    await traces.close();
    expect(recording()).toBeUndefined();
    expect(posts).toHaveLength(1);
    const [post] = posts;
    expect(post?.path).toBe('/v1/traces');
    const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
    expect(post?.headers).toMatchObject({ 'content-type': type, 'x-tenant': 'opera' });
    for (const word of ['opera-orders', 'createOrder', 'boxoffice']) expect(post?.body.includes(word)).toBe(true);
  },
);

test('a trace that is not sampled is passed on so, and not sent', async () => {
  const traces = await start('http/json');
  const span = recording()?.({ ...someSpan, parent: parent.replace(/01$/, '00') });
  expect(span?.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
  span?.end();
  await traces.close();
  process.env.OTEL_TRACES_SAMPLER = 'always_off';
  const off = await start('http/json');
  recording()?.({ ...someSpan, parent: undefined }).end();
  await off.close();
  expect(posts).toEqual([]);
});

test('a receiver that is down is told of once, and nothing fails', async () => {
  await new Promise((resolve) => server.close(resolve));
  const traces = await start('http/json');
  // More than one delivery takes.
  for (let count = 0; count < 1_100; count += 1) recording()?.(someSpan).end();
  await traces.close();
  expect(told).toEqual(['traces cannot be delivered; spans are dropped meanwhile']);
});

test('without an endpoint nothing is recorded', async () => {
  const traces = await startTraces({ otlpEndpoint: undefined, otlpProtocol: 'http/json', logger });
  expect(recording()).toBeUndefined();
  await traces.close();
});
