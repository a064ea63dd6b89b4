// rule 7: 2: 500 is logged, other errors are not | libs/http/src/app/handle.ts

import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());
let token: string;
beforeAll(async () => {
  token = await fixture.logIn(await fixture.user());
});
beforeEach(() => {
  (fixture.errors as string[]).length = 0;
});

test('a refusal of any kind is not logged as an error', async () => {
  for (const [method, path, body] of [
    ['GET', '/products/prd_unknown'],
    ['GET', '/products?limit=x'],
    ['POST', '/sessions', { login: 'nobody', password: 'wrong' }],
    ['GET', '/contacts/COTHER'],
    ['POST', '/orders', {}],
    ['DELETE', '/shopping-cart/items/lin_x'],
  ] as const)
    expect((await fixture.call(method, path, { token, body })).status).toBeLessThan(500);
  expect(fixture.errors).toEqual([]);
});

test.each([
  ['GET', '/tickets', 'tickets'],
  ['GET', '/orders', 'orders'],
  ['GET', '/products/prd_new/availabilities', 'catalog'],
] as const)('a failure of a service behind %s %s is a logged 500 with Retry-After: %s', async (method, path, name) => {
  fixture[name].mishaps.set('*', 'fails');
  const { status, headers, body } = await fixture.call(method, path, { token });
  fixture[name].mishaps.clear();
  expect([status, headers.get('retry-after')]).toEqual([500, '1']);
  expect(body).toEqual({
    success: false,
    errorCode: 'internal_error',
    errorMessage: expect.any(String),
    userLoggedOut: false,
    orderCancelled: false,
  });
  expect(JSON.stringify(body)).not.toContain('planted');
  expect(fixture.errors).toHaveLength(1);
  expect(fixture.errors[0]).toContain('a request failed');
});
