import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  authoriseClient,
  type Client,
  createFetch,
  findFreePorts,
  openClient,
  openVisitor,
  readData,
  waitUntil,
} from '../src/index.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let client: Client;
let received: Received[];
/** The next responses; afterwards an empty success. */
let replies: { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }[];

beforeEach(async () => {
  received = [];
  replies = [];
  server = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    const { status = 200, headers: own, body } = replies.shift() ?? { body: { data: null } };
    response.writeHead(status, own).end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = openClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

describe('a fetch with the certificate of an address', () => {
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`;

  test('sends method, headers and body, and returns status, headers and body', async () => {
    replies = [{ status: 201, headers: { etag: '"1"' }, body: 'made' }];
    const response = await createFetch({})(url(), { method: 'POST', headers: { 'x-a': '1' }, body: 'text' });
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([201, '"1"', 'made']);
    expect(received).toMatchObject([{ method: 'POST', url: '/a?b=c', headers: { 'x-a': '1' }, body: 'text' }]);
  });

  test('returns answers without a body, and rejects with the signal and without a server', async () => {
    replies = [{ status: 304, body: '' }];
    expect((await createFetch({})(url())).status).toBe(304);
    await expect(createFetch({})(url(), { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    const [port] = await findFreePorts(1);
    await expect(createFetch({})(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a client', () => {
  test('sends an object as JSON, a form as a form, and a text unchanged', async () => {
    await client('/a?b=c', { method: 'POST', body: { n: 1 } });
    await client('/', { method: 'POST', body: new URLSearchParams({ n: '1' }) });
    await client('/', { method: 'POST', body: '{"n"', headers: { 'content-type': 'text/plain' } });
    expect(received.map(({ headers, body }) => [headers['content-type'], headers['content-length'], body])).toEqual([
      ['application/json', '7', '{"n":1}'],
      ['application/x-www-form-urlencoded', '3', 'n=1'],
      ['text/plain', '4', '{"n"'],
    ]);
    expect(received[0]).toMatchObject({ method: 'POST', url: '/a?b=c' });
  });

  test('returns any response, and undefined for a body that is not JSON', async () => {
    replies = [{ status: 503, headers: { 'retry-after': '2' }, body: 'busy' }];
    const reply = await client('/');
    expect(reply).toMatchObject({ status: 503, text: 'busy', headers: { 'retry-after': '2' } });
    expect(reply.body).toBeUndefined();
  });

  test('reads the data of an envelope, and throws the text of a refusal of either family', async () => {
    replies = [
      { body: { status: 'success', data: { id: 'a' } } },
      { status: 409, body: { status: 'conflict', data: null } },
      { body: { success: false, errorCode: 'E' } },
    ];
    expect(await readData(client, '/')).toEqual({ id: 'a' });
    await expect(readData(client, '/orders', { method: 'POST' })).rejects.toThrow(
      'POST /orders: 409 {"status":"conflict"',
    );
    await expect(readData(client, '/')).rejects.toThrow('"errorCode":"E"');
  });
});

describe('a client with a token', () => {
  const credentials = { clientId: 'one', clientSecret: 'secret' };

  test('requests it once for many calls, and again after eight minutes', async () => {
    let now = 0;
    const authorised = authoriseClient(client, credentials, () => now);
    replies = [{ body: { access_token: 'first' } }];
    await Promise.all([authorised('/a'), authorised('/b')]);
    now = 8 * 60_000 + 1;
    replies = [{ body: { access_token: 'second' } }];
    await authorised('/c');
    expect(received.filter(({ url }) => url === '/auth/token').map(({ body }) => body)).toEqual(
      Array(2).fill('grant_type=client_credentials&client_id=one&client_secret=secret'),
    );
    const sent = received.filter(({ url }) => url !== '/auth/token').map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
  });

  test('rejects without one, and tries again at the next call', async () => {
    const authorised = authoriseClient(client, credentials);
    replies = [{ status: 401, body: { error: 'invalid_client' } }, { body: { access_token: 'late' } }];
    await expect(authorised('/a')).rejects.toThrow('no token for client one: 401');
    expect((await authorised('/a')).status).toBe(200);
  });
});

test('a visitor names the point of sale and sends the session of the last response with one', async () => {
  const visitor = openVisitor(client, 'tickets.example');
  replies = [{ headers: { 'x-auth-token': 'session' }, body: { success: true, data: {} } }];
  for (const path of ['/a', '/b', '/c']) await visitor(path);
  expect(received.map(({ headers }) => [headers['x-service-host'], headers['x-auth-token']])).toEqual([
    ['tickets.example', undefined],
    ['tickets.example', 'session'],
    ['tickets.example', 'session'],
  ]);
});

test('waiting returns what was found, and throws with its name when the time is over', async () => {
  let tries = 0;
  const third = () => {
    tries += 1;
    return tries === 3 ? { tries } : undefined;
  };
  expect(await waitUntil(third)).toEqual({ tries: 3 });
  await expect(waitUntil(() => false, { what: 'a barcode', withinMs: 20 })).rejects.toThrow('in vain for a barcode');
});

test('free ports are different', async () => {
  expect(new Set(await findFreePorts(5)).size).toBe(5);
});
