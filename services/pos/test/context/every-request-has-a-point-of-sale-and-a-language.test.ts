// rule 4: Rule 5: `X-Service-Host` is required; missing or invalid it is 400 | services/pos/src/request/visit.ts
// rule 5: Family B 1: the context header is mandatory | services/pos/src/request/visit.ts
// rule 4: Rule 8: `lang`, then `Accept-Language`, then the default language | libs/http/src/locale/languages.ts

import { ServiceRefusal } from '@boxoffice/service';
import { type Mishap, useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createContext } from '../../src/request/visit.ts';
import type { Show } from '../fixture/catalog.ts';
import { openFixture, waitUntil } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, PAID } from '../fixture/shopper.ts';

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
  await waitUntil(async () => (await languageNow()) === 'en');
});

test('concurrent requests for a host share a call of the catalog, known or not', async () => {
  const { serviceHost } = fixture.catalog.pointOfSale();
  const calls = () => fixture.catalog.calls.filter(({ operation }) => operation === 'findPointOfSale').length;
  const before = calls();
  for (const host of [serviceHost, 'unknown.example'])
    await Promise.all(Array.from({ length: 20 }, () => fixture.call('GET', '/shopping-cart', { host })));
  // Two of forty, and on a slow machine one more for each second after which it looks for changes.
  expect(calls() - before).toBeGreaterThanOrEqual(2);
  expect(calls() - before).toBeLessThanOrEqual(8);
});

describe('while the catalog is unavailable', () => {
  test.concurrent.each<[Mishap]>([['dies first'], ['hangs first']])(
    '(%s) sessions, carts, orders and tickets work',
    async (mishap) => {
      const fixture = await openFixture();
      const shopper = createShopper(fixture);
      const user = await fixture.user();
      const { token } = await shopper.fill(await fixture.logIn(user));
      fixture.catalog.mishaps.set('*', mishap);
      const visit = async () => {
        for (const path of ['/sessions/current', '/shopping-cart', '/orders', '/tickets'])
          expect([path, (await fixture.call('GET', path, { token })).status]).toEqual([path, 200]);
      };
      // Longer than the maximum age of any cache.
      const longer = Date.now() + 3_200;
      await visit();
      await waitUntil(() => Date.now() > longer);
      await visit();
      const bought = await shopper.buy(token, createGuestCheckout(PAID));
      expect([bought.status, bought.data.state]).toEqual([201, 'confirmed']);
      expect((await fixture.call('GET', '/products')).status).toBe(500);
      const { serviceHost } = fixture.catalog.pointOfSale();
      expect((await fixture.call('GET', '/shopping-cart', { host: serviceHost })).status).toBe(500);
      fixture.catalog.mishaps.clear();
      fixture.catalog.revive();
      await waitUntil(async () => (await fixture.call('GET', '/products')).status === 200);
      await fixture.close();
    },
  );
});

describe('the last answer of the catalog', () => {
  const unreachable = new Error('planted');
  const setUp = () => {
    const its = { now: 1_000_000, failure: undefined as Error | undefined, exists: true, hangs: false };
    const pointOfSale = async (serviceHost: string) => {
      if (its.hangs) await new Promise(() => undefined);
      if (its.failure) throw its.failure;
      return its.exists ? ({ serviceHost } as never) : undefined;
    };
    const load = createContext({ pointOfSale }, () => its.now);
    const find = async () => (await load('shop.example')).serviceHost;
    return { its, find, isReturnedAtOnce: () => !('then' in load('shop.example')) };
  };

  test('is valid for ten minutes and no longer', async () => {
    const { its, find } = setUp();
    expect(await find()).toBe('shop.example');
    its.failure = unreachable;
    for (let minute = 0; minute < 10; minute += 1) {
      expect(await find()).toBe('shop.example');
      its.now += 60_000;
    }
    its.now += 1;
    await expect(find()).rejects.toBe(unreachable);
    its.failure = undefined;
    expect(await find()).toBe('shop.example');
  });

  test('is returned at once after one failed load: later calls do not wait for a catalog that hangs', async () => {
    const { its, find, isReturnedAtOnce } = setUp();
    await find();
    its.now += 3_000;
    expect(isReturnedAtOnce()).toBe(false);
    await find();
    its.now += 3_000;
    its.failure = unreachable;
    await find();
    its.hangs = true;
    for (let count = 0; count < 5; count += 1) {
      its.now += 3_000;
      expect(isReturnedAtOnce()).toBe(true);
    }
  });

  test('is not returned after a newer one: a deleted point of sale stays refused during the next outage', async () => {
    const { its, find } = setUp();
    expect(await find()).toBe('shop.example');
    its.now += 3_000;
    its.exists = false;
    await expect(find()).rejects.toMatchObject({ errorCode: 'context_invalid' });
    its.failure = unreachable;
    its.now += 300_000;
    await expect(find()).rejects.toMatchObject({ errorCode: 'context_invalid' });
  });

  test('is not returned if the catalog refuses the call', async () => {
    const { its, find } = setUp();
    expect(await find()).toBe('shop.example');
    its.now += 3_000;
    const refusal = new ServiceRefusal('catalog', 403, 'forbidden', null);
    its.failure = refusal;
    await expect(find()).rejects.toBe(refusal);
  });
});

describe('the language of an answer', () => {
  let show: Show;
  beforeAll(async () => {
    show = fixture.catalog.show();
  });

  const nameIn = async (query: string, headers = {}) => {
    const { data, headers: given } = await fixture.call('GET', `/products/${show.product.id}${query}`, { headers });
    return [data.name, given.get('content-language')];
  };

  test('texts are in the language of Content-Language', async () => {
    expect(await nameIn('')).toEqual(['Pièce', 'fr']);
    expect(await nameIn('?lang=en')).toEqual(['Play', 'en']);
    expect(await nameIn('?lang=de-CH')).toEqual(['Stück', 'de']);
    expect(await nameIn('', { 'accept-language': 'nl, en;q=0.5' })).toEqual(['Play', 'en']);
    expect(await nameIn('?lang=de&lang=en')).toEqual(['Stück', 'de']);
    expect(await nameIn('?lang=xx', { 'accept-language': 'en' })).toEqual(['Play', 'en']);
  });

  test("a text without the answer's language is in the next that the visitor accepts, else in the institution's first", async () => {
    const nameOf = async (name: Readonly<Record<string, string>>, headers = {}) => {
      const { product } = fixture.catalog.show({ name });
      return (await fixture.call('GET', `/products/${product.id}`, { headers })).data.name;
    };
    const accepted = { 'accept-language': 'fr, de;q=0.5' };
    expect(await nameOf({ en: 'Play', de: 'Stück' }, accepted)).toBe('Stück');
    expect(await nameOf({ en: 'Play', de: 'Stück' })).toBe('Play');
    expect(await nameOf({ es: 'Obra', it: 'Pezzo' }, accepted)).toBe('Pezzo');
  });

  test('Vary names the headers that an answer depends on', async () => {
    const { headers } = await fixture.call('GET', '/products');
    expect(headers.get('vary')).toContain('Accept-Language, X-Service-Host');
    const refused = await fixture.call('GET', '/products', { host: null });
    expect(refused.headers.get('vary')).toContain('X-Service-Host');
  });

  test('the value of lang reaches no header', async () => {
    const { status, headers } = await fixture.call('GET', `/products?lang=${encodeURIComponent('en\r\nX-Evil: 1')}`);
    expect([status, headers.get('x-evil'), headers.get('content-language')]).toEqual([200, null, 'fr']);
  });
});

describe('a shop reads its point of sale', () => {
  const fixture = useFixture(() => openFixture({ simulatedPayments: 'demo data' }));

  const read = (host: string, version: 'v1' | 'vexp' = 'vexp') =>
    fixture.call('GET', '/point-of-sale', { host, version });

  test('a point of sale without look and links has null, and null for each link', async () => {
    const { serviceHost } = fixture.catalog.pointOfSale({ demo: true });
    const { status, body, token } = await read(serviceHost);
    expect([status, token]).toEqual([200, null]);
    expect(body).toEqual({
      success: true,
      data: {
        serviceHost,
        name: 'Shop',
        languages: ['fr', 'en', 'de'],
        currency: 'CHF',
        maxPlacesPerOrder: 8,
        holdMinutes: 15,
        requireTerms: false,
        paymentMethods: ['on_account', 'external', 'simulated', 'stripe'],
        branding: null,
        links: { terms: null, privacy: null, contact: null },
      },
    });
  });

  test('look and links are as the institution set them', async () => {
    const colours = { accent: '#8c1d18', ink: '#1b1b1f', paper: '#fffdf8' };
    const branding = { colours, logo: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
    const links = { terms: 'https://a.example/terms', privacy: null, contact: 'mailto:a@a.example' };
    const { serviceHost } = fixture.catalog.pointOfSale({ branding, links });
    expect((await read(serviceHost)).data).toMatchObject({ branding, links });
  });

  test('a payment method that the checkout would refuse is not listed', async () => {
    const { serviceHost } = fixture.catalog.pointOfSale({ demo: false });
    expect((await read(serviceHost)).data.paymentMethods).toEqual(['on_account', 'external', 'stripe']);
  });

  test('it is 404 under v1, and needs its context', async () => {
    const { serviceHost } = fixture.catalog.pointOfSale();
    expect((await read(serviceHost, 'v1')).status).toBe(404);
    expect((await read('unknown.example')).code).toBe('context_invalid');
  });
});
