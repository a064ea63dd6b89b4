import type { CallerUser, Role } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import { type AnyOperation, ok, operation } from '../../src/index.ts';
import { openForSuite, signTestIdentity, start } from '../fixture.ts';
import { things } from '../things.ts';

const app = openForSuite(() => start(things));

const get = (headers: Record<string, string>, path = '/svc/v3/things/thg_1') => fetch(app.url + path, { headers });

const reader = { operation: 'getThing', scopes: ['things:read'] };

describe('without a valid identity token', () => {
  test.each([
    ['none', {}],
    ['an empty token', { 'X-Internal-Identity': '' }],
    ['garbage', { 'X-Internal-Identity': 'a.b.c' }],
    ['a token for another service', { 'X-Internal-Identity': signTestIdentity(reader, 'others') }],
    ['a bearer token instead', { Authorization: `Bearer ${signTestIdentity(reader)}` }],
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
    const answer = await get({ 'X-Internal-Identity': signTestIdentity(caller) });
    expect([answer.status, await answer.json()]).toMatchObject([403, { status: 'forbidden', data: null }]);
  });
});

test.each([[['things:write']], [['things.sensitive:write']]])(
  'an operation that needs two scopes refuses a token with one of them: %j',
  async (scopes) => {
    const headers = { 'X-Internal-Identity': signTestIdentity({ operation: 'breakThing', scopes }) };
    const answer = await fetch(`${app.url}/svc/v3/things/thg_1`, { method: 'DELETE', headers });
    expect([answer.status, await answer.json()]).toMatchObject([403, { status: 'forbidden', data: null }]);
  },
);

describe('an internal operation', () => {
  const path = '/internal/things/count';
  const count = { operation: 'countThings' };

  test('answers a service', async () => {
    const token = signTestIdentity({ ...count, client: null, service: 'orders' });
    expect((await get({ 'X-Internal-Identity': token }, path)).status).toBe(200);
  });

  test('refuses every client, whatever its scopes are', async () => {
    const token = signTestIdentity({ ...count, scopes: ['internal', 'things:read'] });
    expect((await get({ 'X-Internal-Identity': token }, path)).status).toBe(403);
  });
});

test.each([
  ['for itself', { client: null, service: 'pos' }],
  ['not even with the scope that the operation needs', { client: null, service: 'pos', scopes: ['things:read'] }],
  ['not even with a client in its token', { client: 'cl_1', service: 'pos', scopes: ['things:read'] }],
])('a service cannot call an operation for clients, %s', async (_how, caller) => {
  const token = signTestIdentity({ operation: 'getThing', ...caller });
  const answer = await get({ 'X-Internal-Identity': token });
  expect([answer.status, await answer.json()]).toMatchObject([403, { status: 'forbidden', data: null }]);
});

const user = (role: Role): CallerUser => ({
  id: 'usr_1',
  role,
  contact: role === 'customer' ? 'C1' : null,
  pointsOfSale: [],
});

let handled = 0;

const thing = (id: string, more: Pick<AnyOperation, 'access' | 'method'> & Partial<AnyOperation>): AnyOperation =>
  operation({
    id,
    path: `/${id}`,
    summary: 'Handles a thing',
    answers: { 200: {} },
    example: { answer: {} },
    handle: () => {
      handled += 1;
      return ok({});
    },
    ...more,
  });

const operations = [
  thing('read', { method: 'get', access: 'things:read' }),
  thing('write', { method: 'post', access: 'things:write' }),
  thing('readToWrite', { method: 'post', access: 'things:read', alsoNeeds: ['things.sensitive:write'] }),
  thing('readByCustomers', { method: 'get', access: 'things:read', admits: ['customer'] }),
  thing('writeByCustomers', { method: 'post', access: 'things:write', admits: ['customer'] }),
  thing('writeAtTheDoor', { method: 'post', access: 'things:write', admits: ['door'] }),
] as const;

const scopes = ['things:read', 'things:write', 'things.sensitive:write'];

describe('a role bounds the operations of its users', () => {
  const app = openForSuite(() => start(operations));

  const send = (id: string, method: string, role: Role | null, init: RequestInit = {}) =>
    app.call(`/${id}`, { ...init, method, as: { operation: id, scopes, user: role && user(role) } });

  const allowedFor = async (role: Role | null): Promise<string[]> => {
    const answers = await Promise.all(operations.map(({ id, method }) => send(id, method.toUpperCase(), role)));
    expect(answers.every(({ status }) => status === 200 || status === 403)).toBe(true);
    return operations.filter((_, index) => answers[index]?.status === 200).map(({ id }) => id);
  };

  test.each([null, 'admin', 'manager', 'box_office'] as const)('%s: all that the scopes allow', async (role) => {
    expect(await allowedFor(role)).toEqual(operations.map(({ id }) => id));
  });

  test('door: what reads, and the writes that admit it', async () => {
    expect(await allowedFor('door')).toEqual(['read', 'readByCustomers', 'writeAtTheDoor']);
  });

  test('customer: what admits it alone', async () => {
    expect(await allowedFor('customer')).toEqual(['readByCustomers', 'writeByCustomers']);
  });

  test('the refusal comes before the request is read, and names the role', async () => {
    const before = handled;
    const answer = await send('write', 'POST', 'door', { body: 'x'.repeat(400_000) });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { status: 'forbidden', details: 'A user of the role door may not do this.', data: null },
    ]);
    expect(handled).toBe(before);
  });
});
