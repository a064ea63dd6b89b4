import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { BODY_LIMIT_BYTES, ok, operation } from '../../src/index.ts';
import { INTERNAL_BODY_LIMIT_BYTES, MAX_DEPTH, MAX_MEMBERS } from '../../src/requests/body.ts';
import { createCompiler, MAX_ERRORS, type Validate } from '../../src/validation/validators.ts';
import { exchangeRaw, openForSuite, signTestIdentity, start } from '../fixture.ts';
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

const app = openForSuite(() => start([...things, count]));

const as = { operation: 'createThing', scopes: ['things:write'] };

const padded = (bytes: number): string => {
  const body = '{"name":"x"}';
  return body + ' '.repeat(bytes - body.length);
};

const post = async (body: string, { query = '', headers = {} } = {}) => {
  const answer = await app.call(`/svc/v3/things${query}`, { as, method: 'POST', headers, body });
  return { ...((await answer.json()) as { status: string; details: string; data: object }), http: answer.status };
};

test('a body of exactly 256 KiB is read', async () => {
  expect(await post(padded(BODY_LIMIT_BYTES))).toMatchObject({ http: 201 });
});

test('one byte more is payload_too_large', async () => {
  const refused = { http: 413, status: 'payload_too_large', data: null };
  expect(await post(padded(BODY_LIMIT_BYTES + 1))).toMatchObject(refused);
});

test('a service sends another one up to 8 MiB', async () => {
  const service = { operation: count.id, client: null, service: 'orders' };
  const send = (bytes: number) => app.call(count.path, { as: service, method: 'POST', body: padded(bytes) });
  expect((await send(INTERNAL_BODY_LIMIT_BYTES)).status).toBe(200);
  expect((await send(INTERNAL_BODY_LIMIT_BYTES + 1)).status).toBe(413);
});

const head = (...more: string[]) =>
  [
    'POST /svc/v3/things HTTP/1.1',
    'Host: a',
    `X-Internal-Identity: ${signTestIdentity(as)}`,
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
  expect(await post('{"name":"x"}')).toMatchObject({ http: 201 });
  expect(app.lines.filter(({ message }) => message !== 'request')).toEqual([]);
});

const Wanted = {
  placeIds: Type.Array(Type.String({ minLength: 1 }), { maxItems: 50, uniqueItems: true }),
  items: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() }, { additionalProperties: false })),
};

const validate = Object.fromEntries(
  Object.entries(Wanted).map(([name, schema]) => [name, createCompiler()(schema)]),
) as Record<keyof typeof Wanted, Validate>;

/** The list, and the number of its items that were read. */
const watched = (items: readonly unknown[]) => {
  const read = { count: 0 };
  const list = new Proxy(items, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) read.count += 1;
      return Reflect.get(target, name);
    },
  });
  return { list, read };
};

const many = <Item>(item: (index: number) => Item): Item[] => Array.from({ length: 80_000 }, (_, index) => item(index));

describe('the work', () => {
  test('a list that is too long is read until enough of its items are wrong', () => {
    const { list, read } = watched(many(() => ''));
    const { found, more } = validate.placeIds(list);
    expect(found[0]?.message).toBe('must have at most 50 items');
    expect([found.length, more]).toEqual([MAX_ERRORS + 1, true]);
    expect(read.count).toBeLessThan(2 * MAX_ERRORS);
  });

  test('items of a list that is far too long are not compared with each other', () => {
    const { list, read } = watched(many((index) => `p${index >> 1}`));
    expect(validate.placeIds(list).found.map(({ message }) => message)).toEqual(['must have at most 50 items']);
    expect(read.count).toBe(80_000);
  });

  test('a list without a length is read until enough of its items are wrong', () => {
    const { list, read } = watched(many(() => ({})));
    const { found, more } = validate.items(list);
    expect(more).toBe(true);
    expect(found.length).toBeLessThanOrEqual(MAX_ERRORS + 2);
    // Each item is read several times, and has two errors.
    expect(read.count).toBeLessThan(4 * MAX_ERRORS);
  });

  test('unknown members of items count like any other error', () => {
    const wrong = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 1]));
    const { found, more } = validate.items([{ code: 'a', count: 1, ...wrong }]);
    expect([found.length, more]).toEqual([MAX_ERRORS + 1, true]);
  });

  test('a valid value is read once', () => {
    const { list, read } = watched(Array.from({ length: 1_000 }, () => ({ code: 'a', count: 1 })));
    expect(validate.items(list)).toEqual({ found: [], more: false });
    expect(read.count).toBe(1_000);
  });

  test('the matching alternative is found although many items violate another one', () => {
    const Choice = Type.Object({
      list: Type.Union([Type.Array(Type.Integer()), Type.Array(Type.String(), { maxItems: 5_000 })]),
    });
    const check = createCompiler()(Choice);
    expect(check({ list: Array.from({ length: 5_000 }, () => 'a') }).found).toEqual([]);
  });
});

describe('every violation', () => {
  test('of a list that is slightly too long is named', () => {
    const list = [...Array.from({ length: 50 }, (_, index) => `p${index}`), ''];
    const { found, more } = validate.placeIds(list);
    expect(found.map(({ path }) => path).toSorted()).toEqual(['$', '$[50]']);
    expect(more).toBe(false);
  });

  test('of a large body with few of them is named, wherever it is', () => {
    const items: object[] = many(() => ({ code: 'a', count: 1 }));
    items[7] = { code: 'a' };
    items[79_999] = { code: 7, count: 1 };
    const { found, more } = validate.items(items);
    expect(found.map(({ path }) => path)).toEqual(['$[7].count', '$[79999].code']);
    expect(more).toBe(false);
  });
});

describe('over HTTP', () => {
  const filled = (part: (index: number) => string, around: (parts: string) => string): string => {
    const parts: string[] = [];
    for (let size = 0; size < 250_000; size += (parts.at(-1)?.length ?? 0) + 1) parts.push(part(parts.length));
    return around(parts.join(','));
  };
  const inPlace = (lines: string): string => `{"name":"x","place":{"city":"y","lines":[${lines}]}}`;
  const inObject = (members: string) => `{${members}}`;
  const inList = (items: string) => `{"name":"x","more":[${items}]}`;
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  test.each([
    ['lines', filled(() => '""', inPlace), 'validation_error'],
    ['lines of a wrong type', filled(() => '1', inPlace), 'bad_request'],
    ['unknown members', filled((index) => `"k${index}":1`, inObject), 'bad_request'],
    ['the same member', filled(() => '"k":1', inObject), 'bad_request'],
    ['texts that are not Unicode', filled(() => '"\\ud800"', inList), 'bad_request'],
    ['a long unknown name', `{"name":"x","${'k'.repeat(250_000)}":1}`, 'validation_error'],
    ['a long text', `{"name":"${'x'.repeat(250_000)}"}`, 'validation_error'],
    ['a long number', `{"name":"x","size":${'9'.repeat(250_000)}}`, 'bad_request'],
  ])('a quarter of a megabyte of %s gets a short answer', async (_what, body, status) => {
    const refused = await post(body);
    expect(refused).toMatchObject({ http: 400, status });
    expect(refused.details.length).toBeLessThan(10_000);
  });

  test(`a body is nested at most ${MAX_DEPTH} levels deep; brackets in texts do not count`, async () => {
    const tooDeep = expect.stringContaining('nested deeper');
    expect(await post(`{"name":"x","more":${nested(MAX_DEPTH)}}`)).toMatchObject({ details: tooDeep });
    expect(await post(`{"name":"x","more":${nested(MAX_DEPTH - 1)}}`)).not.toMatchObject({ details: tooDeep });
    expect(await post(`{"name":"\\"${'['.repeat(MAX_DEPTH)}"}`)).not.toMatchObject({ details: tooDeep });
    expect(await post(`{"name":"\\\\","more":${nested(MAX_DEPTH)}}`)).toMatchObject({ details: tooDeep });
  });

  test(`an object has at most ${MAX_MEMBERS} members`, async () => {
    const members = (count: number) => Array.from({ length: count }, (_, index) => `"f${index}":1`).join(',');
    const tooMany = expect.stringContaining('members');
    expect(await post(`{${members(MAX_MEMBERS + 1)}}`)).toMatchObject({ status: 'bad_request', details: tooMany });
    expect(await post(`{"name":"x",${members(MAX_MEMBERS - 1)}}`)).toMatchObject({ status: 'validation_error' });
  });

  test('a content type is read only if it is short', async () => {
    const spaced = (count: number) =>
      post('{"name":"x"}', { headers: { 'Content-Type': `application/json;${' '.repeat(count)}charset=utf-8` } });
    expect(await spaced(100)).toMatchObject({ http: 201 });
    expect(await spaced(10_000)).toMatchObject({ http: 400, status: 'bad_request' });
  });

  test('of thousands of unknown query parameters a hundred are named', async () => {
    const query = Array.from({ length: 2_000 }, (_, index) => `q${index}`).join('&');
    const { http, status, details } = await post('{"name":"x"}', { query: `?${query}` });
    expect([http, status]).toEqual([400, 'invalid_parameter']);
    expect(details.split('; ')).toHaveLength(101);
  });
});
