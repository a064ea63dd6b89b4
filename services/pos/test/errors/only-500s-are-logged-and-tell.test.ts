import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openStand, type Stand } from '../stand/stand.ts';

let stand: Stand;
let token: string;
beforeAll(async () => {
  stand = await openStand();
  token = await stand.logIn(await stand.user());
});
afterAll(() => stand.close());
beforeEach(() => {
  (stand.errors as string[]).length = 0;
});

test('a refusal of any kind is no error of ours', async () => {
  for (const [method, path, body] of [
    ['GET', '/products/prd_unknown'],
    ['GET', '/products?limit=x'],
    ['POST', '/sessions', { login: 'nobody', password: 'wrong' }],
    ['GET', '/contacts/COTHER'],
    ['POST', '/orders', {}],
    ['DELETE', '/shopping-cart/items/lin_x'],
  ] as const)
    expect((await stand.call(method, path, { token, body })).status).toBeLessThan(500);
  expect(stand.errors).toEqual([]);
});

test.each([
  ['GET', '/tickets', 'tickets'],
  ['GET', '/orders', 'orders'],
  ['GET', '/products/prd_new/availabilities', 'catalog'],
] as const)(
  'a service that fails behind %s %s is a 500 that says when to try again, logged as such: %s',
  async (method, path, name) => {
    stand[name].mishaps.set('*', 'fails');
    const { status, headers, body } = await stand.call(method, path, { token });
    stand[name].mishaps.clear();
    expect([status, headers.get('retry-after')]).toEqual([500, '1']);
    expect(body).toEqual({
      success: false,
      errorCode: 'internal_error',
      errorMessage: expect.any(String),
      userLoggedOut: false,
      orderCancelled: false,
    });
    expect(JSON.stringify(body)).not.toContain('planted');
    expect(stand.errors).toHaveLength(1);
    expect(stand.errors[0]).toContain('a request failed');
  },
);
