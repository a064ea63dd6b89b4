// rule 4: Rule 5: `X-Service-Host` is required; missing or invalid it is 400 | services/pos/src/request/visit.ts
// rule 5: Family B 1: the context header is mandatory | services/pos/src/request/visit.ts

import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { openFixture, until } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

test.each([
  ['GET', '/products'],
  ['POST', '/sessions'],
  ['GET', '/shopping-cart'],
  ['GET', '/users/me'],
  ['POST', '/orders'],
  ['PATCH', '/tickets/x'],
])('a request without X-Service-Host is 400 context_missing: %s %s', async (method, path) => {
  for (const host of [null, '']) {
    const { status, code } = await fixture.call(method, path, { host });
    expect([status, code]).toEqual([400, 'context_missing']);
  }
});

test.each(['nowhere.example', 'a b', '../internal', 'x'.repeat(300), '%00', 'shop.example, evil.example', '::1'])(
  'a header that names no point of sale is 400 context_invalid: %s',
  async (host) => {
    const { status, code } = await fixture.call('GET', '/products', { host });
    expect([status, code]).toEqual([400, 'context_invalid']);
  },
);

test('X-Service-Host is case-insensitive', async () => {
  const { status } = await fixture.call('GET', '/products', { host: fixture.pointOfSale.serviceHost.toUpperCase() });
  expect(status).toBe(200);
});

test('a point of sale shows the products of its own institution only', async () => {
  const theirs = fixture.catalog.show({ institution: 'museum' });
  const ours = fixture.catalog.show();
  const { serviceHost } = fixture.catalog.pointOfSale({ institution: 'museum', languages: ['en'] });
  const seen = await fixture.call('GET', `/products/${theirs.product.id}`, { host: serviceHost });
  expect(seen.status).toBe(200);
  const foreign = await fixture.call('GET', `/products/${ours.product.id}`, { host: serviceHost });
  const unknown = await fixture.call('GET', '/products/prd_unknown', { host: serviceHost });
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
});

test('a change of the point of sale takes effect within three seconds', async () => {
  const { serviceHost } = fixture.catalog.pointOfSale({ languages: ['fr'] });
  const languageNow = async () =>
    (await fixture.call('GET', '/products?lang=en', { host: serviceHost })).headers.get('content-language');
  expect(await languageNow()).toBe('fr');
  fixture.catalog.change(serviceHost, { languages: ['en'], updatedAt: new Date().toISOString() });
  // The timeout of the test is ten times as long.
  await until(async () => (await languageNow()) === 'en');
});

test('concurrent requests for a host cause one call of the catalog, known or not', async () => {
  const { serviceHost } = fixture.catalog.pointOfSale();
  const calls = () => fixture.catalog.calls.filter(({ operation }) => operation === 'findPointOfSale').length;
  const before = calls();
  for (const host of [serviceHost, 'unknown.example'])
    await Promise.all(Array.from({ length: 20 }, () => fixture.call('GET', '/shopping-cart', { host })));
  expect(calls() - before).toBe(2);
});
