// rule 4: Rule 3: POST, PATCH and PUT send JSON; without Content-Type it is 415 | libs/http/src/families/family-b.ts
// rule 7: 2: 415 for a wrong or missing Content-Type | libs/http/src/families/family-b.ts
// rule 8: 4: a request body is JSON, https only | libs/http/src/families/family-b.ts

import { describe, expect, test } from '@jest/globals';
import { forSuite } from '../fixture.ts';
import { startShop, visiting } from './shop.ts';

const shop = forSuite(startShop);

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
    ['form', 'POST', '/v1/items', visiting({ 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
    ['size', 'POST', '/v1/items', visiting(json), 413, 'payload_too_large'],
  ])('%s', async (_what, method, path, headers, status, code) => {
    const answer = await ask(method, path, headers, large);
    expect([answer.status, answer.body.success, answer.body.errorCode]).toEqual([status, false, code]);
    expect(answer.body.errorMessage).toMatch(/\w/);
  });

  test('then the content of the body', async () => {
    const answer = await ask('POST', '/v1/items', visiting(json), '{"name":"too long"}');
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'validation_error']);
  });
});

test('the login is checked after the session', async () => {
  expect((await ask('GET', '/v1/me', visiting())).body.errorCode).toBe('session_required');
  expect((await ask('GET', '/v1/me', visiting({ 'x-auth-token': 'known' }))).body.errorCode).toBe('login_required');
  const me = await ask('GET', '/v1/me', visiting({ 'x-auth-token': 'ann' }));
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
  expect((await ask('POST', '/v1/items', visiting({ 'content-type': type }), '{}')).status).toBe(status);
});

test('without Content-Type the answer is 415, also without a body; an empty body counts as {}', async () => {
  expect((await ask('POST', '/v1/items', visiting())).status).toBe(415);
  expect((await ask('POST', '/v1/items', visiting(), Buffer.from('{}'))).status).toBe(415);
  expect((await ask('POST', '/v1/items', visiting(json))).status).toBe(201);
  expect((await ask('POST', '/v1/items', visiting({ ...json, 'content-encoding': 'gzip' }), '{}')).status).toBe(415);
});

test('GET and HEAD need no Content-Type', async () => {
  expect((await ask('GET', '/v1/items', visiting())).status).toBe(200);
  const head = await ask('HEAD', '/v1/items', visiting());
  expect([head.status, head.body, head.headers.get('x-total-amount')]).toEqual([200, undefined, '1']);
});

test('unknown query parameters are ignored, wrong values of known ones are not', async () => {
  expect((await ask('GET', '/v1/items?colour=red&limit=3', visiting())).status).toBe(200);
  const wrong = await ask('GET', '/v1/items?limit=three', visiting());
  expect([wrong.status, wrong.body.errorCode]).toEqual([400, 'invalid_parameter']);
});
