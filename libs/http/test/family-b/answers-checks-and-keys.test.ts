// rule 2: `success` is in every response of family B, false on error | libs/http/src/families/family-b.ts
// rule 4: Rule 4: the only response format is JSON | libs/http/src/families/family-b.ts
// rule 7: Family B 1: on error `success` is false, code and message are set | libs/http/src/families/family-b.ts
// rule 4: Rule 3: POST, PATCH and PUT send JSON; without Content-Type it is 415 | libs/http/src/families/family-b.ts
// rule 7: 2: 415 for a wrong or missing Content-Type | libs/http/src/families/family-b.ts
// rule 8: 4: a request body is JSON, https only | libs/http/src/families/family-b.ts

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openForSuite } from '../fixture.ts';
import { added, createVisitorHeaders, startShop } from './shop.ts';

const shop = openForSuite(startShop);

const fail = async (how: string) => {
  shop.lines.length = 0;
  const headers = createVisitorHeaders({ 'x-auth-token': 'known', 'content-type': 'application/json' });
  const answer = await fetch(`${shop.url}/v1/failures/${how}`, { method: 'POST', headers });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
};

test('an answer has success and data, its language and its Vary', async () => {
  const answer = await fetch(`${shop.url}/v1/items`, {
    headers: createVisitorHeaders({ 'accept-encoding': 'identity' }),
  });
  expect(await answer.json()).toEqual({ success: true, data: { itm_1: { id: 'itm_1', who: null } } });
  expect(answer.headers.get('content-language')).toBe('fr');
  expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept-Language, X-Service-Host');
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('an operation answers under its alias, too', async () => {
  const [one, other] = await Promise.all(
    ['/v1/items', '/vexp/items'].map(async (path) =>
      (await fetch(shop.url + path, { headers: createVisitorHeaders() })).text(),
    ),
  );
  expect(other).toBe(one);
});

test.each([
  ['bug', false, null],
  ['peer', false, '1'],
  ['store', false, '2'],
  ['undone', false, '1'],
  ['cancelled', true, null],
])('an unforeseen error is a 500 with its consequences and Retry-After: %s', async (how, orderCancelled, wait) => {
  const { status, retryAfter, body } = await fail(how);
  expect([status, retryAfter, body]).toEqual([
    500,
    wait,
    {
      success: false,
      errorCode: 'internal_error',
      errorMessage: expect.any(String),
      userLoggedOut: false,
      orderCancelled,
    },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/hunter2|inner/);
  const message = how === 'store' ? 'the store is unavailable' : 'a request failed';
  expect(shop.lines.map((line) => line.message)).toContain(message);
});

test('the cause of an unforeseen error is logged', async () => {
  await fail('cancelled');
  const line = shop.lines.find(({ message }) => message === 'a request failed');
  expect(line?.fields.error).toMatchObject({ name: 'TypeError', message: 'inner' });
});

test('a refusal is not logged as an error', async () => {
  shop.lines.length = 0;
  await fetch(`${shop.url}/v1/items`);
  await fetch(`${shop.url}/v1/nothing`, { headers: createVisitorHeaders() });
  const refused = await fetch(`${shop.url}/v1/items`, {
    method: 'POST',
    headers: createVisitorHeaders({ 'content-type': 'application/json' }),
    body: '{"name":"sold"}',
  });
  expect([refused.status, await refused.json()]).toMatchObject([400, { errorCode: 'cart_places_unavailable' }]);
  expect(shop.lines.filter(({ message }) => message !== 'request')).toEqual([]);
});

const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer) => {
  const answer = await fetch(shop.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
};

const json = { 'content-type': 'application/json' };
const large = `{"name":"${'x'.repeat(300_000)}"}`;

describe('of several violations the first in this order is answered', () => {
  const wrong = { 'x-service-host': 'nowhere', 'x-auth-token': 'unknown', 'content-type': 'text/plain' };
  test.each<[string, string, string, Record<string, string>, number, string]>([
    ['path', 'POST', '/v1/nothing', wrong, 404, 'not_found'],
    ['method', 'PUT', '/v1/items', wrong, 405, 'method_not_allowed'],
    ['context', 'POST', '/v1/items', wrong, 400, 'context_invalid'],
    ['context', 'POST', '/v1/items', { 'x-auth-token': 'unknown' }, 400, 'context_missing'],
    ['session', 'POST', '/v1/items', { ...wrong, 'x-service-host': 'shop' }, 401, 'session_invalid'],
    [
      'form',
      'POST',
      '/v1/items',
      createVisitorHeaders({ 'content-type': 'text/plain' }),
      415,
      'unsupported_media_type',
    ],
    ['size', 'POST', '/v1/items', createVisitorHeaders(json), 413, 'payload_too_large'],
  ])('%s', async (_what, method, path, headers, status, code) => {
    const answer = await ask(method, path, headers, large);
    expect([answer.status, answer.body.success, answer.body.errorCode]).toEqual([status, false, code]);
    expect(answer.body.errorMessage).toMatch(/\w/);
  });

  test('then the content of the body', async () => {
    const answer = await ask('POST', '/v1/items', createVisitorHeaders(json), '{"name":"too long"}');
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'validation_error']);
  });
});

test('the login is checked after the session', async () => {
  expect((await ask('GET', '/v1/me', createVisitorHeaders())).body.errorCode).toBe('session_required');
  expect((await ask('GET', '/v1/me', createVisitorHeaders({ 'x-auth-token': 'known' }))).body.errorCode).toBe(
    'login_required',
  );
  const me = await ask('GET', '/v1/me', createVisitorHeaders({ 'x-auth-token': 'ann' }));
  expect([me.status, me.body]).toEqual([200, { success: true, data: { login: 'ann' } }]);
});

test.each([
  ['application/json', 201],
  ['application/json; charset=utf-8', 201],
  ['Application/JSON;charset="UTF-8"', 201],
  ['application/json; charset=latin1', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/problem+json', 415],
])('the only form of a body is JSON in UTF-8: %s', async (type, status) => {
  expect((await ask('POST', '/v1/items', createVisitorHeaders({ 'content-type': type }), '{}')).status).toBe(status);
});

test('without Content-Type the answer is 415, also without a body; an empty body counts as {}', async () => {
  expect((await ask('POST', '/v1/items', createVisitorHeaders())).status).toBe(415);
  expect((await ask('POST', '/v1/items', createVisitorHeaders(), Buffer.from('{}'))).status).toBe(415);
  expect((await ask('POST', '/v1/items', createVisitorHeaders(json))).status).toBe(201);
  expect(
    (await ask('POST', '/v1/items', createVisitorHeaders({ ...json, 'content-encoding': 'gzip' }), '{}')).status,
  ).toBe(415);
});

test('GET and HEAD need no Content-Type', async () => {
  expect((await ask('GET', '/v1/items', createVisitorHeaders())).status).toBe(200);
  const head = await ask('HEAD', '/v1/items', createVisitorHeaders());
  expect([head.status, head.body, head.headers.get('x-total-amount')]).toEqual([200, undefined, '1']);
});

test('unknown query parameters are ignored, wrong values of known ones are not', async () => {
  expect((await ask('GET', '/v1/items?colour=red&limit=3', createVisitorHeaders())).status).toBe(200);
  const wrong = await ask('GET', '/v1/items?limit=three', createVisitorHeaders());
  expect([wrong.status, wrong.body.errorCode]).toEqual([400, 'invalid_parameter']);
});

interface Body {
  readonly errorCode?: string;
  readonly data?: { readonly id: string };
}

const add = async (key: string, session: string | undefined, body = '{}') => {
  const headers = createVisitorHeaders({
    'content-type': 'application/json',
    'idempotency-key': key,
    ...(session === undefined ? {} : { 'x-auth-token': session }),
  });
  const answer = await fetch(`${shop.url}/v1/items`, { method: 'POST', headers, body });
  return {
    status: answer.status,
    replayed: answer.headers.get('idempotency-replayed'),
    body: (await answer.json()) as Body,
  };
};

test('a repeat in the same session gets the first answer', async () => {
  const key = randomUUID();
  const first = await add(key, 'known');
  const again = await add(key, 'known');
  expect([again.status, again.replayed, again.body]).toEqual([201, 'true', first.body]);
  const respelled = await add(key, 'known', ' { } ');
  expect([respelled.status, respelled.replayed, respelled.body]).toEqual([201, 'true', first.body]);
  const refused = await add(randomUUID(), 'known', '{"name":"sold"}');
  expect([refused.status, refused.replayed]).toEqual([400, null]);
});

test('another session’s key is another key', async () => {
  const key = randomUUID();
  const first = await add(key, 'known');
  const other = await add(key, 'ann');
  expect([other.status, other.replayed]).toEqual([201, null]);
  expect(other.body.data?.id).not.toBe(first.body.data?.id);
});

test('without a session the key is ignored, and handlers see none', async () => {
  const key = randomUUID();
  const first = await add(key, undefined);
  const again = await add(key, undefined);
  expect(again.replayed).toBeNull();
  expect(again.body.data?.id).not.toBe(first.body.data?.id);
  expect(added.at(-1)).toEqual({ body: {}, idempotencyKey: undefined });
});

test('handlers get a name for the key that is the same at a repeat and does not contain it', async () => {
  const key = randomUUID();
  await add(key, 'known');
  expect(added.at(-1)).toEqual({ body: {}, idempotencyKey: expect.stringMatching(/^[\w-]{43}$/) });
});

test('a key that is reused for another request is 400', async () => {
  const key = randomUUID();
  await add(key, 'known');
  const reused = await add(key, 'known', '{"name":"b"}');
  expect([reused.status, reused.body.errorCode]).toEqual([400, 'idempotency_key_reused']);
});
