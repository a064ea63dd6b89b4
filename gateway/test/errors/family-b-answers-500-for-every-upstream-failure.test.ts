// rule 7: 3: every 500 says whether the user was logged out and the order cancelled | libs/envelope/src/family-b.ts

import { type Code, Fault, registry } from '@boxoffice/envelope';
import { afterEach, describe, expect, test } from '@jest/globals';
import { toFamilyFault } from '../../src/exchange/faults.ts';
import { pos } from '../fixtures/describe.ts';
import { type Reply, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { type Answering, echo, sendJson, startUpstream } from '../fixtures/upstream.ts';

const its = useFixture(() => startInstallation());
/** Does not wait long for a service, which a busy machine may make late, too. */
const impatient = useFixture(() => startInstallation({ timeouts: { answer: 1_500, total: 3_000 } }));
afterEach(() => its.pos.answer(echo));

/** Every point-of-sale operation that the gateway routes. */
const operations = Object.entries((pos as { paths: Record<string, object> }).paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => [method.toUpperCase(), path.replace('{id}', 'x1')] as const),
);

const ask = ([method, path]: readonly [string, string], from = its): Promise<Reply> => {
  const headers = { 'content-type': 'application/json' };
  return from.call(path, method === 'GET' ? {} : { method, headers, body: '{}' });
};

const UNFORESEEN = {
  success: false,
  errorCode: 'internal_error',
  errorMessage: expect.any(String),
  userLoggedOut: false,
  orderCancelled: false,
};

const expectUnforeseen = (reply: Reply, about: string) => {
  expect([about, reply.status, reply.body]).toEqual([about, 500, UNFORESEEN]);
  expect([about, reply.headers['retry-after']]).toEqual([about, expect.stringMatching(/^[1-9]\d*$/)]);
};

const partial = (headers: Record<string, string>): Answering => {
  return (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).flushHeaders();
    if (headers['Content-Length']) response.write('{"success":');
    setImmediate(() => response.destroy());
  };
};

type Cause = readonly [string, Answering];

const delays: readonly Cause[] = [
  ['a service that exceeds its time', () => undefined],
  [
    'a response that starts and does not continue in time',
    (_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders(),
  ],
];

const causes: readonly Cause[] = [
  ['a connection that breaks before the answer', (_, response) => response.destroy()],
  ['a connection that breaks after the head of the answer', partial({})],
  ['a connection that breaks within the answer', partial({ 'Content-Length': '100' })],
  ['a response that is not HTTP', (_, response) => response.socket?.end('rubbish\r\n\r\n')],
  ['a response that is not JSON', (_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>')],
  ['a 503 of an intermediary', (_, response) => sendJson(response, 503, { message: 'no healthy upstream' })],
  [
    'a 502 in the shape of the other family',
    (_, response) => sendJson(response, 502, { status: 'bad_gateway', data: null }),
  ],
  ['a 504 without JSON', (_, response) => response.writeHead(504, { 'Content-Type': 'text/plain' }).end('late')],
  [
    'a 500 without the two members',
    (_, response) => sendJson(response, 500, { success: false, errorCode: 'internal_error' }),
  ],
  [
    'a 500 that is cut off',
    (_, response) => {
      response.writeHead(500, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('{');
      setImmediate(() => response.destroy());
    },
  ],
];

describe.each(causes)('%s', (_, answering) => {
  test.each(operations)('%s %s', async (method, path) => {
    its.pos.answer(answering);
    expectUnforeseen(await ask([method, path]), path);
    its.pos.answer(echo);
    // One failure does not open the breaker.
    expect((await ask([method, path])).status).toBe(200);
  });
});

test.each(delays)('%s', async (_, answering) => {
  impatient.pos.answer(answering);
  const replies = await Promise.all(operations.map((operation) => ask(operation, impatient)));
  for (const [index, reply] of replies.entries()) expectUnforeseen(reply, operations[index]?.[1] ?? '');
  impatient.pos.answer(echo);
  await waitUntil(async () => (await ask(['GET', '/tnwr/v1/products'], impatient)).status === 200);
});

test('an unavailable service, with the breaker closed and open', async () => {
  const down = await startInstallation();
  await down.pos.close();
  for (let round = 0; round < 3; round += 1) {
    for (const operation of operations) expectUnforeseen(await ask(operation, down), operation[1]);
  }
  expect(down.log.some(({ message }) => String(message).includes('circuit breaker open'))).toBe(true);
  await down.close();
});

test('a service that has no description yet', async () => {
  const closed = await startUpstream(pos);
  await closed.close();
  const services = { authorizer: its.authorizer.url, contacts: its.contacts.url, pos: closed.url };
  const young = await startInstallation({ services }, { ready: false });
  for (const operation of operations) expectUnforeseen(await ask(operation, young), operation[1]);
  await young.close();
});

test('every other 5xx of the gateway', () => {
  for (const [code, { http }] of Object.entries(registry)) {
    const fault = toFamilyFault('B', new Fault(code as Code, 'x'));
    expect([code, fault.http]).toEqual([code, Math.min(http, 500)]);
  }
});

describe('the point of sale’s own 500 is forwarded', () => {
  test('a 500 with its consequences and its Retry-After', async () => {
    const said = { ...UNFORESEEN, errorMessage: 'Cancelled.', orderCancelled: true };
    its.pos.answer((_, response) => sendJson(response, 500, said, { 'Retry-After': '7' }));
    for (const operation of operations) {
      const reply = await ask(operation);
      expect([reply.status, reply.body, reply.headers['retry-after']]).toEqual([500, said, '7']);
    }
  });

  test('also for HEAD, and in chunks', async () => {
    const said = { ...UNFORESEEN, errorMessage: 'x'.repeat(40_000) };
    const text = JSON.stringify(said);
    its.pos.answer(({ method }, response) => {
      response.writeHead(500, { 'Content-Type': 'application/json' });
      if (method !== 'HEAD') for (let at = 0; at < text.length; at += 9_000) response.write(text.slice(at, at + 9_000));
      response.end();
    });
    expect((await its.call('/tnwr/v1/products')).body).toEqual(said);
    const head = await its.call('/tnwr/v1/products', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([500, '']);
  });
});

test('a long response that ends early is cut off', async () => {
  its.pos.answer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '500000' });
    response.write('x'.repeat(200_000), () => response.destroy());
  });
  await expect(its.call('/tnwr/v1/products')).rejects.toThrow();
});

test('the description has no 5xx except 500, with the two members required and Retry-After', async () => {
  await waitUntil(async () => (await its.call('/tnwr/v1/products')).status === 200);
  for (const version of ['v1', 'vexp']) {
    const { body } = await its.call(`/tnwr/${version}/openapi.json`);
    const shared = new Map(
      Object.entries(body.components?.responses ?? {}).map(([name, response]) => [
        `#/components/responses/${name}`,
        response,
      ]),
    );
    for (const [path, item] of Object.entries(body.paths ?? {})) {
      for (const { responses } of Object.values(item)) {
        const statuses = Object.keys(responses ?? {}).filter((status) => status >= '500');
        expect([path, statuses]).toEqual([path, ['500']]);
        const failure = shared.get(String(responses?.['500']?.$ref)) ?? responses?.['500'];
        expect(failure?.headers).toHaveProperty('Retry-After');
        expect(JSON.stringify(failure?.content)).toContain('["userLoggedOut","orderCancelled"]');
      }
    }
  }
});
