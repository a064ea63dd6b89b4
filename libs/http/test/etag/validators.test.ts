// rule 7: 412 `precondition_failed`: precondition not satisfied | libs/http/src/requests/headers.ts

import { describe, expect, test } from '@jest/globals';
import { forSuite, start } from '../fixture.ts';
import { things } from '../things.ts';

const app = forSuite(() => start(things));

const get = (headers: Record<string, string>, method = 'GET') =>
  app.call('/svc/v3/things/a', { as: { operation: 'getThing', scopes: ['things:read'] }, method, headers });

const put = (headers: Record<string, string>) =>
  app.call('/svc/v3/things/a', {
    as: { operation: 'replaceThing', scopes: ['things:write'] },
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: '{"name":"x"}',
  });

test('a resource carries its ETag, and so does the answer to a write', async () => {
  expect((await get({})).headers.get('etag')).toBe('"1"');
  expect((await put({})).headers.get('etag')).toBe('"2"');
});

describe('If-None-Match', () => {
  test.each(['"1"', 'W/"1"', '*', '"0", "1"', '"0",W/"1" , "2"'])('gives 304 without a body for %s', async (header) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await get({ 'If-None-Match': header }, method);
      expect(answer.status).toBe(304);
      expect(answer.headers.get('etag')).toBe('"1"');
      expect(answer.headers.get('content-type')).toBeNull();
      expect(await answer.text()).toBe('');
    }
  });

  test.each(['"2"', '1', '', '"11"', 'W/1'])('gives the representation for %s', async (header) => {
    expect((await get({ 'If-None-Match': header })).status).toBe(200);
  });
});

describe('If-Match', () => {
  test.each(['"1"', '*', '"0", "1"'])('lets %s through', async (header) => {
    expect((await put({ 'If-Match': header })).status).toBe(200);
  });

  test.each(['"2"', 'W/"1"', '1', ''])('is precondition_failed for %s', async (header) => {
    const answer = await put({ 'If-Match': header });
    expect([answer.status, await answer.json()]).toMatchObject([412, { status: 'precondition_failed', data: null }]);
  });
});

test('an answer with a validator is revalidated each time; any other is no-store', async () => {
  expect((await get({})).headers.get('cache-control')).toBe('private, no-cache');
  const list = await app.call('/svc/v3/things', { as: { operation: 'listThings', scopes: ['things:read'] } });
  expect(list.headers.get('cache-control')).toBe('no-store');
});
