// rule 2: `success` is in every response of family B, false on error | libs/http/src/families/family-b.ts
// rule 4: Rule 4: the only response format is JSON | libs/http/src/families/family-b.ts
// rule 7: Family B 1: on error `success` is false, code and message are set | libs/http/src/families/family-b.ts

import { expect, test } from '@jest/globals';
import { forSuite } from '../fixture.ts';
import { startShop, visiting } from './shop.ts';

const shop = forSuite(startShop);

const fail = async (how: string) => {
  shop.lines.length = 0;
  const headers = visiting({ 'x-auth-token': 'known', 'content-type': 'application/json' });
  const answer = await fetch(`${shop.url}/v1/failures/${how}`, { method: 'POST', headers });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
};

test('an answer has success and data, its language and its Vary', async () => {
  const answer = await fetch(`${shop.url}/v1/items`, { headers: visiting({ 'accept-encoding': 'identity' }) });
  expect(await answer.json()).toEqual({ success: true, data: { itm_1: { id: 'itm_1', who: null } } });
  expect(answer.headers.get('content-language')).toBe('fr');
  expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept-Language, X-Service-Host');
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('an operation answers under its alias, too', async () => {
  const [one, other] = await Promise.all(
    ['/v1/items', '/vexp/items'].map(async (path) => (await fetch(shop.url + path, { headers: visiting() })).text()),
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
  await fetch(`${shop.url}/v1/nothing`, { headers: visiting() });
  const refused = await fetch(`${shop.url}/v1/items`, {
    method: 'POST',
    headers: visiting({ 'content-type': 'application/json' }),
    body: '{"name":"sold"}',
  });
  expect([refused.status, await refused.json()]).toMatchObject([400, { errorCode: 'cart_places_unavailable' }]);
  expect(shop.lines.filter(({ message }) => message !== 'request')).toEqual([]);
});
