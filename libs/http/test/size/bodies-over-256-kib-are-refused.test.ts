import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { BODY_LIMIT_BYTES, ok, operation } from '../../src/index.ts';
import { INTERNAL_BODY_LIMIT_BYTES } from '../../src/requests/body.ts';
import { forSuite, identityFor, start } from '../fixture.ts';
import { exchangeRaw } from '../raw.ts';
import { things } from '../things.ts';

/** Counts the entries that a service sends. */
const count = operation({
  id: 'countEntries',
  method: 'post',
  path: '/internal/entries/count',
  access: 'internal',
  withoutIdempotency: true,
  summary: 'Counts entries',
  body: Type.Object({ name: Type.String() }),
  answers: { 200: Type.Object({ count: Type.Integer() }) },
  example: { body: { name: 'x' }, answer: { count: 1 } },
  handle: ({ body }) => ok({ count: body.name.length }),
});

const app = forSuite(() => start([...things, count]));

const as = { operation: 'createThing', scopes: ['things:write'] };

const padded = (bytes: number): string => {
  const body = '{"name":"x"}';
  return body + ' '.repeat(bytes - body.length);
};

const post = (body: string) =>
  app.call('/svc/v3/things', { as, method: 'POST', headers: { 'Content-Type': 'application/json' }, body });

test('a body of exactly 256 KiB is read', async () => {
  expect((await post(padded(BODY_LIMIT_BYTES))).status).toBe(201);
});

test('one byte more is payload_too_large', async () => {
  const answer = await post(padded(BODY_LIMIT_BYTES + 1));
  expect([answer.status, await answer.json()]).toMatchObject([413, { status: 'payload_too_large', data: null }]);
});

test('a service sends another one up to 8 MiB', async () => {
  const send = (bytes: number) =>
    app.call(count.path, {
      as: { operation: count.id, client: null, service: 'orders' },
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: padded(bytes),
    });
  expect((await send(INTERNAL_BODY_LIMIT_BYTES)).status).toBe(200);
  expect((await send(INTERNAL_BODY_LIMIT_BYTES + 1)).status).toBe(413);
});

const head = (...more: string[]) =>
  [
    'POST /svc/v3/things HTTP/1.1',
    'Host: a',
    `X-Internal-Identity: ${identityFor(as)}`,
    'Content-Type: application/json',
    ...more,
    '',
    '',
  ].join('\r\n');

test('the limit counts the bytes received, not characters and not only Content-Length', async () => {
  const chunk = Buffer.from('é'.repeat(32 * 1024));
  const chunked = [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n'];
  const parts = [head('Transfer-Encoding: chunked'), ...Array.from({ length: 5 }, () => chunked).flat(), '0\r\n\r\n'];
  const { text } = await exchangeRaw(app.url, parts, 'payload_too_large');
  expect(text).toContain('HTTP/1.1 413');
});

test('the answer reaches a client that reads only after it has sent everything, and the connection is closed', async () => {
  const bytes = 4 * 1024 * 1024;
  const { text, closed, failed } = await exchangeRaw(app.url, [
    head(`Content-Length: ${bytes}`),
    Buffer.alloc(bytes, 32),
  ]);
  expect(failed).toBeUndefined();
  expect(text).toContain('HTTP/1.1 413');
  expect(text.toLowerCase()).toContain('connection: close');
  expect(text).toContain('"status":"payload_too_large"');
  expect(closed).toBe(true);
});

test('a client that disconnects in the middle of its body does not affect other requests', async () => {
  const controller = new AbortController();
  const body = new ReadableStream({
    pull: (stream) => {
      stream.enqueue(new TextEncoder().encode('{'));
      setImmediate(() => controller.abort());
    },
  });
  const init = { as, method: 'POST', body, duplex: 'half', signal: controller.signal } as const;
  await expect(app.call('/svc/v3/things', init)).rejects.toThrow();
  expect((await post('{"name":"x"}')).status).toBe(201);
  expect(app.lines.filter(({ message }) => message !== 'request')).toEqual([]);
});
