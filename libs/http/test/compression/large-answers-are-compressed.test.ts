import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { ok, operation } from '../../src/index.ts';
import { forSuite, start } from '../fixture.ts';

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

const app = forSuite(() => start(operations));

/** Requests without a client that decompresses by itself. */
const get = (path: string, headers: Record<string, string>) =>
  new Promise<{ status?: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request(app.url + path, { headers }, (answer) => {
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
  const plain = await get('/catalog', {});
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers.vary).toBe('Accept-Encoding');
  for (let again = 0; again < 2; again++) {
    const small = await get('/catalog', { 'Accept-Encoding': 'gzip' });
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
  ['identity, gzip;q=0.5', undefined],
])('Accept-Encoding "%s" gives %s', async (header, coding) => {
  expect((await get('/catalog', { 'Accept-Encoding': header })).headers['content-encoding']).toBe(coding);
});

test('the validator of a compressed answer is weak, and gives 304 in every coding', async () => {
  const { headers } = await get('/catalog', { 'Accept-Encoding': 'gzip' });
  expect(headers.etag).toBe('W/"c1"');
  const again = await get('/catalog', { 'Accept-Encoding': 'br', 'If-None-Match': 'W/"c1"' });
  expect([again.status, again.body.length, again.headers.vary]).toEqual([304, 0, 'Accept-Encoding']);
});

test.each(['/little', '/plain'])('a small answer, or one of another operation, is not compressed: %s', async (path) => {
  expect((await get(path, { 'Accept-Encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
});
