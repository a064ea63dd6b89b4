import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { type Answering, echo, json } from '../fixtures/upstream.ts';

const CREATE = '/svc/v3/contacts/individuals';
const WITHOUT_KEY = '/contacts/individuals';

let its: Installation;
let token: string;
/** How many requests lose their connection. */
let broken: number;
beforeAll(async () => {
  its = await startInstallation();
});
beforeEach(() => {
  token = its.authorizer.token(['contacts:read', 'contacts:write']);
});
afterEach(async () => {
  its.contacts.answer(echo);
  // Failures in a row would open the breaker.
  await its.as(token)(CREATE);
});
afterAll(() => its.close());

/** Reads each request whole, and closes the connection of the first ones. */
const breaking = (count: number, answer: Answering = echo): void => {
  broken = 0;
  its.contacts.answer((request, response, raw) => {
    broken += 1;
    if (broken <= count) raw.socket.resetAndDestroy();
    else answer(request, response, raw);
  });
};

/** Sends a POST; the requests that the service received for it. */
const post = async (path: string, headers: Record<string, string>, body: string) => {
  const before = its.contacts.received.length;
  const reply = await its.as(token)(path, { method: 'POST', headers, body });
  return { reply, received: its.contacts.received.slice(before) };
};

const KEY = { 'idempotency-key': 'order 1' };
const BODY = JSON.stringify({ lastName: 'Müller' });

test('a POST with a key whose connection breaks is sent once more, with the same body, headers and identity', async () => {
  breaking(1);
  const { reply, received } = await post(CREATE, KEY, BODY);
  expect(reply.status).toBe(200);
  expect(received).toHaveLength(2);
  const [first, second] = received;
  expect(second?.body).toBe(BODY);
  const { connection, ...headers } = second?.headers ?? {};
  expect(headers).toEqual({ ...first?.headers, connection: undefined });
});

test('without a body, too', async () => {
  breaking(1);
  const { reply, received } = await post(CREATE, KEY, '');
  expect([reply.status, received.length]).toEqual([200, 2]);
});

test('it is sent twice at most', async () => {
  breaking(2);
  const { reply, received } = await post(CREATE, KEY, BODY);
  expect([reply.status, reply.body.status, received.length]).toEqual([502, 'bad_gateway', 2]);
});

test('without a key it is not sent again', async () => {
  breaking(1);
  const { reply, received } = await post(CREATE, {}, BODY);
  expect([reply.status, received.length]).toEqual([502, 1]);
});

test('an operation that takes no key is not sent again', async () => {
  breaking(1);
  const { reply, received } = await post(WITHOUT_KEY, KEY, BODY);
  expect([reply.status, received.length]).toEqual([502, 1]);
});

test('a long body is sent again, too', async () => {
  breaking(1);
  const { reply, received } = await post(CREATE, KEY, JSON.stringify({ lastName: 'x'.repeat(40_000) }));
  expect([reply.status, received.length]).toEqual([200, 2]);
});

test('what a service answers is not asked again', async () => {
  breaking(0, (_, response) => json(response, 503, { status: 'service_unavailable', details: 'x', data: null }));
  const { reply, received } = await post(CREATE, KEY, BODY);
  expect([reply.status, received.length]).toEqual([503, 1]);
});

test('an answer that began is not asked again', async () => {
  breaking(0, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('{"a":');
    setImmediate(() => response.destroy());
  });
  const { reply, received } = await post(CREATE, KEY, BODY);
  expect([reply.status, received.length]).toEqual([502, 1]);
});
