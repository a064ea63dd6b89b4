import { describe, expect, test } from '@jest/globals';
import { forSuite, identityFor, start } from '../fixture.ts';
import { things } from '../things.ts';

const app = forSuite(() => start(things));

const get = (headers: Record<string, string>, path = '/svc/v3/things/thg_1') => fetch(app.url + path, { headers });

const reader = { operation: 'getThing', scopes: ['things:read'] };

describe('without a valid identity token', () => {
  test.each([
    ['none', {}],
    ['an empty token', { 'X-Internal-Identity': '' }],
    ['garbage', { 'X-Internal-Identity': 'a.b.c' }],
    ['a token for another service', { 'X-Internal-Identity': identityFor(reader, 'others') }],
    ['a bearer token instead', { Authorization: `Bearer ${identityFor(reader)}` }],
  ])('a request is unauthorized: %s', async (_what, headers) => {
    const answer = await get(headers);
    expect([answer.status, await answer.json()]).toMatchObject([401, { status: 'unauthorized', data: null }]);
  });

  test('a request is refused before its path and body are checked', async () => {
    const answer = await fetch(`${app.url}/svc/v3/things?nonsense=1`, { method: 'POST', body: 'x'.repeat(400_000) });
    expect(answer.status).toBe(401);
  });

  test('a public operation answers', async () => {
    expect((await get({}, '/svc/v3/things/key')).status).toBe(200);
  });
});

describe('a valid identity token for something else', () => {
  test.each([
    ['another operation', { operation: 'listThings', scopes: ['things:read'] }],
    ['another scope', { operation: 'getThing', scopes: ['things:write', 'things.sensitive:read', 'things'] }],
    ['no scope', { operation: 'getThing', scopes: [] }],
  ])('is forbidden: %s', async (_what, caller) => {
    const answer = await get({ 'X-Internal-Identity': identityFor(caller) });
    expect([answer.status, await answer.json()]).toMatchObject([403, { status: 'forbidden', data: null }]);
  });
});

test.each([[['things:write']], [['things.sensitive:write']]])(
  'an operation that needs two scopes refuses a token with one of them: %j',
  async (scopes) => {
    const headers = { 'X-Internal-Identity': identityFor({ operation: 'breakThing', scopes }) };
    const answer = await fetch(`${app.url}/svc/v3/things/thg_1`, { method: 'DELETE', headers });
    expect([answer.status, await answer.json()]).toMatchObject([403, { status: 'forbidden', data: null }]);
  },
);

describe('an internal operation', () => {
  const path = '/internal/things/count';
  const count = { operation: 'countThings' };

  test('answers a service', async () => {
    const token = identityFor({ ...count, client: null, service: 'orders' });
    expect((await get({ 'X-Internal-Identity': token }, path)).status).toBe(200);
  });

  test('refuses every client, whatever its scopes are', async () => {
    const token = identityFor({ ...count, scopes: ['internal', 'things:read'] });
    expect((await get({ 'X-Internal-Identity': token }, path)).status).toBe(403);
  });
});

test.each([
  ['for itself', { client: null, service: 'pos' }],
  ['not even with the scope that the operation needs', { client: null, service: 'pos', scopes: ['things:read'] }],
  ['not even with a client in its token', { client: 'cl_1', service: 'pos', scopes: ['things:read'] }],
])('a service cannot call an operation for clients, %s', async (_how, caller) => {
  const token = identityFor({ operation: 'getThing', ...caller });
  const answer = await get({ 'X-Internal-Identity': token });
  expect([answer.status, await answer.json()]).toMatchObject([403, { status: 'forbidden', data: null }]);
});
