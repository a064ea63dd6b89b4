import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { forSuite } from '../fixture.ts';
import { added, startShop, visiting } from './shop.ts';

interface Body {
  readonly errorCode?: string;
  readonly data?: { readonly id: string };
}

const shop = forSuite(startShop);

const add = async (key: string, session: string | undefined, body = '{}') => {
  const headers = visiting({
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
