// rule 7: 502 `bad_gateway`: upstream error propagated | gateway/src/forwarding/failure.ts

import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { type Answering, echo, sendJson } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';

const its = useFixture(() => startInstallation());
let token: string;
beforeEach(() => {
  token = its.authorizer.token(['contacts:read', 'contacts:write']);
});
afterEach(() => its.contacts.answer(echo));

const get = (path = LIST, call = {}) => its.as(token)(path, call);

const expectFault = async (status: number, code: string, answering: Answering) => {
  its.contacts.answer(answering);
  const reply = await get();
  expect([reply.status, reply.body]).toEqual([status, { status: code, details: expect.any(String), data: null }]);
  its.contacts.answer(echo);
  // One failure does not open the breaker.
  expect((await get()).status).toBe(200);
  return reply;
};

describe('502', () => {
  test('a connection that the service closes', () =>
    expectFault(502, 'bad_gateway', (_, response) => response.destroy()));

  test('a response that is not HTTP', () =>
    expectFault(502, 'bad_gateway', (_, response) => {
      response.socket?.end('rubbish\r\n\r\n');
    }));

  test.each(['text/html; charset=utf-8', 'text/plain', 'application/octet-stream', ''])(
    'an answer whose type is “%s”',
    (type) =>
      expectFault(502, 'bad_gateway', (_, response) => {
        response.writeHead(200, type === '' ? {} : { 'Content-Type': type }).end('<html>');
      }),
  );
});

describe('a service’s response is forwarded unchanged', () => {
  test.each([400, 404, 409, 422, 500, 503])('%i', async (status) => {
    its.contacts.answer((_, response) => sendJson(response, status, { status: 'theirs', details: 'x', data: null }));
    const reply = await get();
    expect([reply.status, reply.body.status]).toEqual([status, 'theirs']);
  });

  test('304 and other responses without a body need no media type', async () => {
    its.contacts.answer((_, response) => response.writeHead(304, { ETag: '"1"' }).end());
    const reply = await get();
    expect([reply.status, reply.headers.etag, reply.text]).toEqual([304, '"1"', '']);
  });

  test('a large response in chunks', async () => {
    const data = 'x'.repeat(3_000_000);
    its.contacts.answer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/problem+json' });
      for (let at = 0; at < data.length; at += 100_000) response.write(data.slice(at, at + 100_000));
      response.end();
    });
    expect((await get()).text).toBe(data);
  });
});

test('a short response that ends early is 502, because no part of it was sent', () =>
  expectFault(502, 'bad_gateway', (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('{"a":');
    setImmediate(() => response.destroy());
  }));

test('a response that starts and stops is cut off', async () => {
  its.contacts.answer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"a":', () => response.destroy());
  });
  await expect(get()).rejects.toThrow();
});

test('a service that exceeds its time is 502; a response that it has started is cut off', async () => {
  const impatient = await startInstallation({ timeouts: { answer: 5_000, total: 6_000 } });
  impatient.contacts.answer(({ headers }, response) => {
    if (headers['if-none-match']) response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"a":');
  });
  const call = impatient.as(impatient.authorizer.token(['contacts:read']));
  const cutOff = expect(call(LIST, { headers: { 'if-none-match': '"1"' } })).rejects.toThrow();
  const reply = await call(LIST);
  expect([reply.status, reply.body.status]).toEqual([502, 'bad_gateway']);
  await cutOff;
  impatient.contacts.answer(echo);
  // Two failures do not open the breaker.
  expect((await call(LIST)).status).toBe(200);
  await impatient.close();
});

/**
 * Answers one request per connection and closes it at the second, like a service whose keep-alive timeout has
 * expired.
 */
const startForgetful = async () => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    let requests = 0;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { close, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
};

test('a pooled connection that the service has closed meanwhile is replaced once for a repeatable request, and is 502 for any other', async () => {
  const forgetful = await startForgetful();
  const services = { authorizer: its.authorizer.url, contacts: forgetful.url };
  const other = await startInstallation({ services }, { knowsContacts: true, ready: false });
  const call = other.as(its.authorizer.token(['contacts:read', 'contacts:write']));
  for (const method of ['GET', 'GET', 'DELETE', 'DELETE']) {
    const { status } = await call(method === 'DELETE' ? `${LIST}/C1` : LIST, { method });
    expect([method, status]).toEqual([method, 200]);
  }
  // A connection that was idle for longer is not used for such a request, and without processor time it often was.
  const create = async () => (await call(LIST, { method: 'POST', body: '{}' })).status;
  await waitUntil(async () => {
    const status = await create();
    expect([200, 502]).toContain(status);
    return status === 502;
  });
  expect(await create()).toBe(200);
  await other.close();
  forgetful.close();
});

test('a client that disconnects is not a failure, and its upstream request ends', async () => {
  const closed: boolean[] = [];
  const noted = its.log.length;
  its.contacts.answer((_, response) => response.on('close', () => closed.push(true)));
  for (let index = 0; index < 8; index += 1) {
    const end = new AbortController();
    const before = its.contacts.received.length;
    const call = get(LIST, { signal: end.signal }).catch(() => 'aborted');
    await waitUntil(() => its.contacts.received.length > before);
    end.abort();
    expect(await call).toBe('aborted');
  }
  await waitUntil(() => closed.length === 8);
  its.contacts.answer(echo);
  // Eight consecutive failures would have opened the breaker.
  expect((await get()).status).toBe(200);
  await waitUntil(() => its.log.slice(noted).filter(({ status }) => status === 499).length === 8);
});

describe('a request with a key is sent again', () => {
  const CREATE = '/svc/v3/contacts/individuals';
  const WITHOUT_KEY = '/contacts/individuals';

  /** How many requests lose their connection. */
  let broken: number;
  afterEach(async () => {
    its.contacts.answer(echo);
    // Failures in a row would open the breaker.
    await its.as(token)(CREATE);
  });

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

  test.each([
    { what: 'one without a body, too', body: '', status: 200, times: 2 },
    {
      what: 'one with a long body, too',
      body: JSON.stringify({ lastName: 'x'.repeat(40_000) }),
      status: 200,
      times: 2,
    },
    { what: 'twice at most', breaks: 2, status: 502, times: 2 },
    { what: 'one without a key is not', headers: {}, status: 502, times: 1 },
    { what: 'one of an operation that takes no key is not', path: WITHOUT_KEY, status: 502, times: 1 },
  ])('$what', async ({ breaks = 1, path = CREATE, headers = KEY, body = BODY, status, times }) => {
    breaking(breaks);
    const { reply, received } = await post(path, headers, body);
    expect([reply.status, received.length]).toEqual([status, times]);
    if (status === 502) expect(reply.body.status).toBe('bad_gateway');
  });

  test('what a service answers is not asked again', async () => {
    breaking(0, (_, response) => sendJson(response, 503, { status: 'service_unavailable', details: 'x', data: null }));
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
});
