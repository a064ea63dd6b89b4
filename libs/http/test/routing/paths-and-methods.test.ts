// rule 7: 501 `not_implemented`: declared but not yet wired | libs/http/src/app/handle.ts

import { describe, expect, test } from '@jest/globals';
import { forSuite, start } from '../fixture.ts';
import { things } from '../things.ts';

const app = forSuite(() => start(things));

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
      app.call(path, {
        as: { operation, scopes: ['things:write'] },
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"name":"x"}',
      });
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
