import { createPosClient, isPosError, PosError } from '@boxoffice/client/pos';
import { expect, test } from '@jest/globals';
import { type Reply, startInstallation } from './installation.ts';

const serviceHost = 'shop.opera.example';
const success = (data: unknown, headers: Record<string, string> = {}): Reply => ({
  headers,
  body: { success: true, data },
});
const refusal = (http: number, errorCode: string, more: object = {}, headers: Record<string, string> = {}): Reply => ({
  http,
  headers,
  body: { success: false, errorCode, errorMessage: `because of ${errorCode}`, ...more },
});

test('a visitor names the point of sale and the language, and keeps the session that an answer gives', async () => {
  const sessions: string[] = [];
  const { baseUrl, received } = await startInstallation(({ method }) =>
    success({ id: 'cart' }, method === 'POST' ? { 'x-auth-token': 's1' } : {}),
  );
  const onSession = (token: string) => void sessions.push(token);
  const visitor = createPosClient({ baseUrl, serviceHost, lang: 'de', onSession });
  const body = { performanceId: 'prf_1', seatCategoryId: 'cat_1', tariffId: 'trf_1', quantity: 1 };
  expect((await visitor.getCart()).id).toBe('cart');
  await visitor.addToCart({ body });
  await visitor.getCart({ query: { lang: 'fr' } });
  expect(
    received.map(({ headers, query }) => [headers['x-service-host'], headers['x-auth-token'], query.lang]),
  ).toEqual([
    [serviceHost, undefined, 'de'],
    [serviceHost, undefined, 'de'],
    [serviceHost, 's1', 'fr'],
  ]);
  expect([visitor.sessionToken, sessions]).toEqual(['s1', ['s1']]);
});

test('a list is a map of its first page, and a loop over the records of all', async () => {
  const { baseUrl, received } = await startInstallation(({ query }) => {
    const offset = Number(query.offset ?? 0);
    const ids = ['a', 'b', 'c', 'd', 'e'].slice(offset, offset + 2);
    return success(Object.fromEntries(ids.map((id) => [id, { id }])), { 'x-total-amount': '5' });
  });
  const visitor = createPosClient({ baseUrl, serviceHost });
  expect(Object.keys(await visitor.browseProducts({ query: { limit: 2 } }))).toEqual(['a', 'b']);
  for (const offset of [undefined, 1]) {
    const found: string[] = [];
    for await (const { id } of visitor.browseProducts({ query: { limit: 2, offset } })) found.push(id);
    expect(found.join('')).toBe(offset ? 'bcde' : 'abcde');
  }
  expect(received.map(({ query }) => query.offset)).toEqual([undefined, undefined, '2', '4', '1', '3']);
});

test('a refusal is an error with its code and message, and what a 500 did to the visitor', async () => {
  const { baseUrl } = await startInstallation(({ path }) =>
    path.endsWith('orders')
      ? refusal(500, 'internal_error', { userLoggedOut: true, orderCancelled: false })
      : refusal(400, 'cart_places_unavailable'),
  );
  const visitor = createPosClient({ baseUrl, serviceHost, maxDelayMs: 5 });
  const cart = await visitor.getCart().catch((thrown: unknown) => thrown);
  expect(isPosError(cart, 'cart_places_unavailable')).toBe(true);
  expect(cart).toMatchObject({ httpStatus: 400, errorMessage: 'because of cart_places_unavailable' });
  const orders = await visitor.listOwnOrders().catch((thrown: unknown) => thrown);
  expect(orders).toBeInstanceOf(PosError);
  expect(orders).toMatchObject({ errorCode: 'internal_error', userLoggedOut: true, orderCancelled: false });
});

test('a 500 that says when to come again is repeated', async () => {
  const away = refusal(500, 'internal_error', { userLoggedOut: false, orderCancelled: false }, { 'retry-after': '0' });
  const { baseUrl, received } = await startInstallation((_, count) => (count === 0 ? away : success({ id: 'cart' })));
  expect((await createPosClient({ baseUrl, serviceHost, maxDelayMs: 5 }).getCart()).id).toBe('cart');
  expect(received).toHaveLength(2);
});
