import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createTraceHeaders,
  getCurrentTrace,
  getRecorder,
  parseTraceparent,
  readRequestId,
  readTrace,
  runWithTrace,
  startTraces,
} from '../src/index.ts';

const good = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the trace of a request', () => {
  test('adopts well-formed ids', () => {
    expect(readTrace({ 'x-request-id': 'a.B_9-', traceparent: good })).toEqual({
      requestId: 'a.B_9-',
      traceparent: good,
    });
  });

  test.each(['', 'a b', 'ü', 'x'.repeat(129), 'a,b', undefined])('X-Request-Id %j is replaced', (header) => {
    expect(readRequestId(header)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    good.toUpperCase(),
    good.replace(/^00/, 'ff'),
    `${good}-more`,
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    'nonsense',
  ])('traceparent %s is replaced', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
    expect(parseTraceparent(readTrace({ traceparent: header }).traceparent)).toBeDefined();
  });

  test('a later version may carry more', () => {
    expect(parseTraceparent(`${good.replace(/^00/, '01')}-more`)).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
  });

  test('belongs to everything that the call awaits, and to nothing else', async () => {
    const trace = { requestId: 'r', traceparent: good };
    await runWithTrace(trace, async () => {
      await new Promise(setImmediate);
      expect(getCurrentTrace()).toBe(trace);
      expect(createTraceHeaders()).toEqual({ 'x-request-id': 'r', traceparent: good });
    });
    expect(getCurrentTrace()).toBeUndefined();
    expect(createTraceHeaders()).toEqual({});
  });
});

describe('spans are sent where the setting says', () => {
  const logged: string[] = [];
  const logger = { info: (line: string) => void logged.push(line), warn: (line: string) => void logged.push(line) };

  /** The library reads these variables itself. */
  const given = {
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    OTEL_SERVICE_NAME: 'opera-orders',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=opera',
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
  };

  interface Post {
    readonly path: string | undefined;
    readonly headers: NodeJS.Dict<string | string[]>;
    readonly body: Buffer;
  }

  const posts: Post[] = [];
  // Nobody else knows it: programs of another suite still send to a port that a server of theirs had.
  const own = `/${randomUUID()}`;
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(own)) return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posts.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks) });
      response.end();
    });
  });

  beforeEach(async () => {
    logged.length = 0;
    posts.length = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${own}`;
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
    'the remaining spans are sent at the end as %s, with the headers and the service name of the variables',
    async (protocol) => {
      const traces = await start(protocol);
      const span = getRecorder()?.(someSpan);
      expect(parseTraceparent(span?.traceparent)?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
      expect(span?.traceparent).not.toBe(parent);
      span?.end();
      await traces.close();
      expect(getRecorder()).toBeUndefined();
      expect(posts).toHaveLength(1);
      const [post] = posts;
      expect(post?.path).toBe(`${own}/v1/traces`);
      const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
      expect(post?.headers).toMatchObject({ 'content-type': type, 'x-tenant': 'opera' });
      for (const word of ['opera-orders', 'createOrder', 'boxoffice']) expect(post?.body.includes(word)).toBe(true);
    },
  );

  test('a trace that is not sampled is propagated as such, and not sent', async () => {
    const traces = await start('http/json');
    const span = getRecorder()?.({ ...someSpan, parent: parent.replace(/01$/, '00') });
    expect(span?.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
    span?.end();
    await traces.close();
    process.env.OTEL_TRACES_SAMPLER = 'always_off';
    const off = await start('http/json');
    getRecorder()?.({ ...someSpan, parent: undefined }).end();
    await off.close();
    expect(posts).toEqual([]);
  });

  test('an unreachable receiver is logged once, and has no other effect', async () => {
    await new Promise((resolve) => server.close(resolve));
    // So long it tries to reach the receiver.
    process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '500';
    const traces = await start('http/json');
    // More than one batch holds.
    for (let count = 0; count < 1_100; count += 1) getRecorder()?.(someSpan).end();
    await traces.close();
    expect(logged).toEqual(['traces cannot be delivered; spans are dropped meanwhile']);
  });

  test('without an endpoint nothing is recorded', async () => {
    const traces = await startTraces({ otlpEndpoint: undefined, otlpProtocol: 'http/json', logger });
    expect(getRecorder()).toBeUndefined();
    await traces.close();
  });
});
