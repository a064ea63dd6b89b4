// rule 7: 412 `precondition_failed`: precondition not satisfied | libs/http/src/requests/headers.ts

import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { ok, operation } from '../../src/index.ts';
import { openForSuite, start } from '../fixture.ts';
import { things } from '../things.ts';

const app = openForSuite(() => start(things));

const get = (headers: Record<string, string>, method = 'GET') =>
  app.call('/svc/v3/things/a', { as: { operation: 'getThing', scopes: ['things:read'] }, method, headers });

const put = (headers: Record<string, string>) =>
  app.call('/svc/v3/things/a', {
    as: { operation: 'replaceThing', scopes: ['things:write'] },
    method: 'PUT',
    headers,
    body: '{"name":"x"}',
  });

test('a resource carries its ETag, and so does the answer to a write', async () => {
  expect((await get({})).headers.get('etag')).toBe('"1"');
  expect((await put({})).headers.get('etag')).toBe('"2"');
});

/** What compressing proxies make of the tag "1": nginx, HAProxy; Apache; Caddy; Jetty; two of them in a row. */
const MARKED = ['W/"1"', '"1-gzip"', '"1-br"', '"1-zstd"', '"1;gzip"', '"1--gzip"', 'W/"1-gzip"', '"1-br-gzip"'];
const OTHERS = ['"2-gzip"', 'W/"2"', '"1-other"', '"1gzip"', '"-gzip"', '"1-gzip-other"'];

describe('If-None-Match', () => {
  test.each(['"1"', 'W/"1"', '*', '"0", "1"', '"0",W/"1" , "2"', ...MARKED])(
    'gives 304 without a body for %s',
    async (header) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get({ 'If-None-Match': header }, method);
        expect(answer.status).toBe(304);
        expect(answer.headers.get('etag')).toBe('"1"');
        expect(answer.headers.get('content-type')).toBeNull();
        expect(await answer.text()).toBe('');
      }
    },
  );

  test.each(['"2"', '1', '', '"11"', 'W/1', ...OTHERS])('gives the representation for %s', async (header) => {
    expect((await get({ 'If-None-Match': header })).status).toBe(200);
  });
});

describe('If-Match', () => {
  test.each(['"1"', '*', '"0", "1"', ...MARKED, '"0-gzip", W/"1"'])('lets %s through', async (header) => {
    expect((await put({ 'If-Match': header })).status).toBe(200);
  });

  test.each(['"2"', '1', '', 'W/1', ...OTHERS])('is precondition_failed for %s', async (header) => {
    const answer = await put({ 'If-Match': header });
    expect([answer.status, await answer.json()]).toMatchObject([412, { status: 'precondition_failed', data: null }]);
  });
});

test('an answer with a validator is revalidated each time; any other is no-store', async () => {
  expect((await get({})).headers.get('cache-control')).toBe('private, no-cache');
  const list = await app.call('/svc/v3/things', { as: { operation: 'listThings', scopes: ['things:read'] } });
  expect(list.headers.get('cache-control')).toBe('no-store');
});

const catalog = { items: Array.from({ length: 200 }, (_, id) => ({ id, name: 'A show with a name' })) };

const shape = { method: 'get', access: 'public', summary: 'Gives much', answers: { 200: Type.Unknown() } } as const;

const operations = [
  operation({
    ...shape,
    id: 'getCatalog',
    path: '/catalog',
    etag: true,
    compressed: true,
    example: { answer: catalog },
    handle: () => ok<unknown>(catalog, { etag: 'c1' }),
  }),
  operation({
    ...shape,
    id: 'getLittle',
    path: '/little',
    compressed: true,
    example: { answer: {} },
    handle: () => ok<unknown>({}),
  }),
  operation({ ...shape, id: 'getPlain', path: '/plain', example: { answer: {} }, handle: () => ok<unknown>(catalog) }),
];

const catalogApp = openForSuite(() => start(operations));

/** Requests without a client that decompresses by itself. */
const fetchRaw = (path: string, headers: Record<string, string>) =>
  new Promise<{ status?: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request(catalogApp.url + path, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

test('an operation that opts in compresses for clients that accept it', async () => {
  const plain = await fetchRaw('/catalog', {});
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers.vary).toBe('Accept-Encoding');
  for (let again = 0; again < 2; again++) {
    const small = await fetchRaw('/catalog', { 'Accept-Encoding': 'gzip' });
    expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(small.body.length) });
    expect(gunzipSync(small.body)).toEqual(plain.body);
    expect(small.body.length).toBeLessThan(plain.body.length / 5);
  }
});

test.each([
  ['br, gzip', 'br'],
  ['gzip;q=1.0, br;q=0.1', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *;q=0.5', 'gzip'],
  ['deflate', undefined],
  ['gzip;q=0', undefined],
  ['gzip;q=5', undefined],
  ['gzip;q=0.1234', undefined],
  ['identity, gzip;q=0.5', undefined],
])('Accept-Encoding "%s" gives %s', async (header, coding) => {
  expect((await fetchRaw('/catalog', { 'Accept-Encoding': header })).headers['content-encoding']).toBe(coding);
});

test('the validator of a compressed answer is weak, and gives 304 in every coding', async () => {
  const { headers } = await fetchRaw('/catalog', { 'Accept-Encoding': 'gzip' });
  expect(headers.etag).toBe('W/"c1"');
  const again = await fetchRaw('/catalog', { 'Accept-Encoding': 'br', 'If-None-Match': 'W/"c1"' });
  expect([again.status, again.body.length, again.headers.vary]).toEqual([304, 0, 'Accept-Encoding']);
});

test.each(['/little', '/plain'])('a small answer, or one of another operation, is not compressed: %s', async (path) => {
  expect((await fetchRaw(path, { 'Accept-Encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
});
