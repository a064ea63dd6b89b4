// rule 7: 501 `not_implemented`: declared but not yet wired | libs/http/src/app/handle.ts

import { describe, expect, test } from '@jest/globals';
import { type Static, Type } from 'typebox';
import { created, createNullableSchema, createPatchSchema, mergePatch, ok, oneOf, operation } from '../../src/index.ts';
import { openForSuite, start } from '../fixture.ts';
import { things } from '../things.ts';

const app = openForSuite(() => start(things));

const reader = { operation: 'getThing', scopes: ['things:read'] };

describe('a path', () => {
  test.each(['/', '/svc/v3/thing', '/svc/v3/things/', '/svc/v3/Things', '/svc/v3/things/a/b'])(
    'that no operation has is not_found: %s',
    async (path) => {
      const answer = await fetch(app.url + path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ status: 'not_found', details: expect.any(String), data: null });
    },
  );

  test('without templates takes precedence over a templated one, for every method', async () => {
    expect(await (await fetch(`${app.url}/svc/v3/things/key`)).json()).toMatchObject({ data: { key: 'k' } });
    const put = await fetch(`${app.url}/svc/v3/things/key`, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('that cannot be decoded is bad_request', async () => {
    const answer = await fetch(`${app.url}/svc/v3/things/%ff`);
    expect([answer.status, await answer.json()]).toMatchObject([400, { status: 'bad_request' }]);
  });

  test('has its parameters decoded', async () => {
    const answer = await app.call('/svc/v3/things/a%2Fb%20c', { as: reader });
    expect(await answer.json()).toMatchObject({ data: { id: 'a/b c' } });
  });

  test('may have an alias with its own operationId', async () => {
    const send = (path: string, operation: string) =>
      app.call(path, { as: { operation, scopes: ['things:write'] }, method: 'POST', body: '{"name":"x"}' });
    expect((await send('/things', 'createThingUnprefixed')).status).toBe(201);
    expect((await send('/things', 'createThing')).status).toBe(403);
    expect((await send('/svc/v3/things', 'createThing')).status).toBe(201);
  });
});

describe('a method', () => {
  test.each(['OPTIONS', 'PROPFIND', 'POST'])('that the path does not support is 405: %s', async (method) => {
    const answer = await fetch(`${app.url}/svc/v3/things/thg_1`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']);
    expect(await answer.json()).toMatchObject({ status: 'method_not_allowed', data: null });
  });

  test('HEAD works wherever GET does, without a body', async () => {
    const get = await app.call('/svc/v3/things/thg_1', { as: reader });
    const head = await app.call('/svc/v3/things/thg_1', { as: reader, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect(await head.text()).toBe('');
  });

  test('without a handler is not_implemented', async () => {
    const as = { operation: 'breakThing', scopes: ['things:write', 'things.sensitive:write'] };
    const answer = await app.call('/svc/v3/things/thg_1', { as, method: 'DELETE' });
    expect([answer.status, await answer.json()]).toMatchObject([501, { status: 'not_implemented', data: null }]);
  });
});

const Thing = Type.Object({ id: Type.String(), name: Type.String() });

// The compiler decides: each line that must not compile is marked.
describe('an operation', () => {
  test('types its handler by its schemas', () => {
    const declared = operation({
      id: 'createThing',
      method: 'post',
      path: '/things/{rack}',
      access: 'things:write',
      summary: 'Creates a thing',
      params: { rack: Type.String() },
      query: { force: Type.Optional(Type.Boolean()), at: Type.Integer() },
      body: Type.Object({ name: Type.String(), color: Type.Optional(createNullableSchema(oneOf(['red', 'green']))) }),
      answers: { 201: Thing },
      example: { params: { rack: 'a' }, body: { name: 'x', color: 'red' }, answer: {} },
      handle: ({ params, query, body, remember }) => {
        const rack: string = params.rack;
        const force: boolean | undefined = query.force;
        const at: number = query.at;
        const color: 'red' | 'green' | null | undefined = body.color;
        // @ts-expect-error no such member
        body.size;
        // @ts-expect-error no such parameter
        params.id;
        const idempotencyRecord = remember((thing: { id: string }) => created({ id: thing.id, name: body.name }, '/'));
        return created({ id: rack, name: `${force} ${at} ${color} ${idempotencyRecord}` }, '/');
      },
    });
    expect(declared.id).toBe('createThing');
  });

  test('answers only with data that it declares', () => {
    const shape = { id: 'a', method: 'get', path: '/', access: 'public', summary: '' } as const;
    const answers = { 200: Thing };
    // @ts-expect-error another shape
    operation({ ...shape, answers, example: { answer: {} }, handle: () => ok({ nope: 1 }) });
    operation({ ...shape, answers, example: { answer: {} }, handle: () => ok({ id: 'a', name: 'b' }) });
    expect(shape.id).toBe('a');
  });

  test('declares a scope as domain and action', () => {
    const shape = { id: 'a', method: 'get', path: '/', summary: '', answers: {}, example: { answer: {} } } as const;
    // @ts-expect-error no action
    operation({ ...shape, access: 'things' });
    expect(shape.id).toBe('a');
  });
});

test('a patch is typed by the resource that it changes', () => {
  const Person = Type.Object({
    name: Type.String(),
    nick: Type.Optional(Type.String()),
    at: Type.Object({ city: Type.String() }),
  });
  const schema = createPatchSchema(Person);
  const patch: Static<typeof schema> = { nick: null, at: { city: 'Basel' } };
  const person: Static<typeof Person> = { name: 'Ada', nick: 'A', at: { city: 'Genève' } };
  // @ts-expect-error a required member cannot be removed
  const wrong: Static<typeof schema> = { name: null };
  expect(mergePatch(person, patch)).toEqual({ name: 'Ada', at: { city: 'Basel' } });
  expect(wrong.name).toBeNull();
});
