import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authoriseClient, type Client, openClient, readData, waitUntil } from '../src/index.ts';

// The suites of the product use all the rest: these are the failures that would let one of them pass.

/** The next responses; afterwards an empty success. */
const replies: { readonly status?: number; readonly body: object }[] = [];
let received: { readonly url: string | undefined; readonly authorization: string | undefined }[];
let client: Client;

const server = createServer((request, response) => {
  received.push({ url: request.url, authorization: request.headers.authorization });
  const { status = 200, body } = replies.shift() ?? { body: { data: null } };
  response.writeHead(status).end(JSON.stringify(body));
});

beforeAll(async () => {
  received = [];
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = openClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

test('the data of an envelope is read, and a refusal of either family throws its text', async () => {
  replies.push(
    { body: { status: 'success', data: { id: 'a' } } },
    { status: 409, body: { status: 'conflict', data: null } },
    { body: { success: false, errorCode: 'E' } },
  );
  expect(await readData(client, '/')).toEqual({ id: 'a' });
  const refused = readData(client, '/orders', { method: 'POST' });
  await expect(refused).rejects.toThrow('POST /orders: 409 {"status":"conflict"');
  await expect(readData(client, '/')).rejects.toThrow('"errorCode":"E"');
});

test('a token is requested once for many calls, again after eight minutes, and again after a refusal', async () => {
  let now = 0;
  const authorised = authoriseClient(client, { clientId: 'one', clientSecret: 'secret' }, () => now);
  received = [];
  replies.push({ status: 401, body: { error: 'invalid_client' } });
  await expect(authorised('/refused')).rejects.toThrow('no token for client one: 401');
  replies.push({ body: { access_token: 'first' } });
  await Promise.all([authorised('/a'), authorised('/b')]);
  now = 8 * 60_000 + 1;
  replies.push({ body: { access_token: 'second' } });
  await authorised('/c');
  expect(received.filter(({ url }) => url === '/auth/token')).toHaveLength(3);
  const sent = received.filter(({ url }) => url !== '/auth/token').map(({ authorization }) => authorization);
  expect(sent).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
});

test('waiting returns what was found, and throws with its name when the time is over', async () => {
  const found = [undefined, undefined, { tries: 3 }];
  expect(await waitUntil(() => found.shift())).toEqual({ tries: 3 });
  await expect(waitUntil(() => false, { what: 'a barcode', withinMs: 20 })).rejects.toThrow('in vain for a barcode');
});
