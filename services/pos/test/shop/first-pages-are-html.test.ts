import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { computeLogoWidth } from '../../src/shop/look.ts';
import { openFixture } from '../fixture/fixture.ts';
import { getDrawnPage, getPage, importShopModule, readPageData } from './fixture.ts';

const SHOP_HOST = 'home.example';
const EVIL = '</script><script>alert("1")</script>';

const its = useFixture(() => openFixture({ shopHost: SHOP_HOST }));
let home = '';
beforeAll(() => {
  home = `/shop/${its.pointOfSale.serviceHost}`;
});

const get = (path: string, headers?: Readonly<Record<string, string>>) => getPage(its.url + path, headers);
const drawn = (path: string) => getDrawnPage(its.url + path);

const ENGINES = 'ld\\+json"';

describe('the first page of a shop', () => {
  test('has header, footer, and the products as links, in the HTML', async () => {
    const institution = 'first';
    const { serviceHost } = its.catalog.pointOfSale({ institution, name: 'Our <house>' });
    const one = its.catalog.show({ institution, startDate: '2031-05-01T18:00:00.000Z' });
    const two = its.catalog.show({ institution, startDate: '2031-05-02T18:00:00.000Z' });
    const { status, text } = await drawn(`/shop/${serviceHost}/?lang=en`);
    expect(status).toBe(200);
    expect(text).toContain('<title>Programme · Our &lt;house&gt;</title>');
    expect(text).toContain(`<a class="brand" href="/shop/${serviceHost}/">`);
    expect(text).toContain('<footer class="frame-footer">');
    for (const show of [one, two]) expect(text).toContain(`href="/shop/${serviceHost}/show/${show.product.id}"`);
    const { first, name, sendsMails } = readPageData(text);
    expect([name, sendsMails, first.address]).toEqual(['Our <house>', false, `/shop/${serviceHost}/?lang=en`]);
    expect(first.data).toMatchObject({ total: 2, records: [{ id: one.product.id }, { id: two.product.id }] });
  });

  test('offers the kinds of what there is, and no choice of one', async () => {
    const kindsAt = async (host: string, query = '') => {
      const { text } = await drawn(`/shop/${host}/?lang=en${query}`);
      return [...text.matchAll(/<a href="[^"]*"[^>]*>(Shows|Passes|Shop|Memberships)</g)].map(([, name]) => name);
    };
    const { serviceHost: one } = its.catalog.pointOfSale({ institution: 'one kind' });
    its.catalog.show({ institution: 'one kind' });
    expect(await kindsAt(one)).toEqual([]);
    // From another one, which the address may name, a way leads to it.
    expect(await kindsAt(one, '&type=goods')).toEqual(['Shows', 'Shop']);
    const { serviceHost: more } = its.catalog.pointOfSale({ institution: 'kinds' });
    for (const type of ['goods', 'show', 'pass', 'pass'] as const) its.catalog.show({ institution: 'kinds', type });
    expect(await kindsAt(more)).toEqual(['Shows', 'Passes', 'Shop']);
  });

  test.each([
    ['?lang=de', {}, 'de', 'Spielplan'],
    ['?lang=de-CH', { 'accept-language': 'fr' }, 'de', 'Spielplan'],
    ['', { cookie: 'a=b; boxoffice.language=en', 'accept-language': 'de' }, 'en', 'Programme'],
    ['', { 'accept-language': 'de-CH, en;q=0.5' }, 'de', 'Spielplan'],
    ['?lang=it', { 'accept-language': 'it' }, 'fr', 'Programme'],
  ])(
    'speaks the language of the address, the cookie or the browser: %s %j is %s',
    async (query, headers, language, word) => {
      const { text, headers: answered } = await get(`${home}/${query}`, headers);
      expect(text).toContain(`<html lang="${language}">`);
      expect(text).toContain(`<title>${word} · `);
      expect(answered.get('content-language')).toBe(language);
      expect(answered.get('vary')).toContain('Accept-Language, Cookie');
      const cookie = query === '' ? null : expect.stringMatching(`^boxoffice.language=${language}; Path=/shop; `);
      expect(answered.get('set-cookie')).toEqual(cookie);
      for (const other of ['fr', 'en', 'de']) {
        expect(text).toContain(
          `<link rel="alternate" hreflang="${other}" href="https://tickets.example${home}/?lang=${other}">`,
        );
      }
    },
  );

  test('comes without the list, and with its frame, while the catalog is slow', async () => {
    const slow = await openFixture();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    slow.catalog.before.set('listShopProducts', () => held);
    const response = await fetch(`${slow.url}/shop/${slow.pointOfSale.serviceHost}/?lang=en`);
    const text = await response.text();
    release();
    await slow.close();
    expect([response.status, readPageData(text).first]).toEqual([200, undefined]);
    expect(text).toContain('<footer class="frame-footer">');
  });
});

describe('the page of a product', () => {
  test('has its own title, description and text, for people and for search engines', async () => {
    const { product } = its.catalog.show({ name: { en: 'Play & more' }, free: 3 });
    const { status, text } = await drawn(`${home}/show/${product.id}?lang=en`);
    expect(status).toBe(200);
    expect(text).toContain('<title>Play &amp; more · Shop</title>');
    expect(text).toContain('<h1 tabindex="-1">Play &amp; more</h1>');
    expect(text).toContain(`<meta property="og:url" content="https://tickets.example${home}/show/${product.id}">`);
    expect(text).toContain('<meta property="og:title" content="Play &amp; more">');
    const [event] = readPageData(text, ENGINES)['@graph'];
    expect(event).toMatchObject({
      '@type': 'Event',
      name: 'Play & more',
      startDate: '2031-05-01T20:30:00+02:00',
      endDate: '2031-05-01T22:30:00+02:00',
      location: { '@type': 'Place', name: product.performances[0]?.venue.name },
      offers: {
        price: '45.00',
        priceCurrency: 'CHF',
        availability: 'https://schema.org/LimitedAvailability',
        url: `https://tickets.example${home}/show/${product.id}`,
      },
    });
  });

  test('of goods speaks of goods, and is a Product with its offer', async () => {
    const { product } = its.catalog.show({ type: 'goods', free: 0 });
    const { text } = await drawn(`${home}/show/${product.id}?lang=fr`);
    for (const word of ['Épuisé', '<dt>Disponible']) expect(text).toContain(word);
    expect(readPageData(text, ENGINES)).toMatchObject({
      '@type': 'Product',
      sku: product.code,
      offers: { '@type': 'Offer', price: '45.00', availability: 'https://schema.org/SoldOut' },
    });
  });

  test('has names as text: in markup and in its data blocks', async () => {
    const { product } = its.catalog.show({ name: { fr: EVIL } });
    const { text } = await drawn(`${home}/show/${product.id}?lang=fr`);
    expect(text).not.toContain('alert("1")');
    expect(text.match(/<script/g)).toHaveLength(3);
    expect(readPageData(text, ENGINES)['@graph'][0].name).toBe(EVIL);
    expect(readPageData(text).first.data.name).toBe(EVIL);
  });

  test('that is not shown is 404 in the frame of the shop', async () => {
    const { product } = its.catalog.show({ state: 'suspended' });
    for (const path of ['/show/prd_nothing', `/show/${product.id}`, '/nothing', '/show/a/b', '/show/%E0%A4%A']) {
      const { status, text } = await drawn(`${home}${path}?lang=en`);
      expect([path, status]).toEqual([path, 404]);
      expect(text).toContain('This page is not on the bill');
      expect(text).toContain('<header class="frame-header">');
      expect(text).toContain('<meta name="robots" content="noindex">');
    }
  });
});

test('pages of a visitor are the frame alone, and no page depends on the session', async () => {
  for (const path of ['/cart', '/checkout', '/order/ord_1', '/account', '/ticket-link']) {
    const { status, text } = await get(`${home}${path}`);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect((await get(`${home}${path}`, { cookie: 'boxoffice.session.x=secret' })).text).toBe(text);
  }
});

test.each([
  [14_500, 'CHF', '145.00'],
  [1_200, 'JPY', '1,200'],
  [1_234, 'KWD', '1.234'],
  // CLDR has fewer digits for HUF and IQD than ISO 4217.
  [1_000_000, 'HUF', '10,000.00'],
  [1_500, 'IQD', '1.500'],
  [50, 'ISK', '50'],
])(
  'amounts have the digits of their currency, which the page says: %i of %s is %s',
  async (amount, currency, shown) => {
    (await importShopModule('frame.js')).useShop(readPageData((await get(`${home}/cart?lang=en`)).text));
    const { money } = await importShopModule('texts/index.js');
    expect(money(amount, currency).replaceAll(/[^\d.,]/g, '')).toBe(shown);
  },
);

describe('look and links of the point of sale', () => {
  const colours = { accent: '#005f73', ink: '#102a2e', paper: '#f7fbfb' };
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7"/></svg>';

  test('are in the page, its stylesheet and its logo, which browsers keep until they change', async () => {
    const links = { terms: 'https://www.example/terms', privacy: null, contact: 'mailto:a@example.org' };
    const { serviceHost } = its.catalog.pointOfSale({ branding: { colours, logo }, links });
    const { text } = await get(`/shop/${serviceHost}/`);
    expect(text).toContain('<a href="https://www.example/terms" target="_top">');
    expect(text).toContain('<a href="mailto:a@example.org" target="_top">');
    const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(text) ?? [];
    const [, image = ''] = /<img class="logo" src="([^"]+)" alt="" width="32" height="32">/.exec(text) ?? [];
    const [styles, picture] = [await get(sheet), await get(image)];
    expect(styles.text).toContain(`--accent: ${colours.accent};`);
    expect(picture.text).toBe(logo);
    expect(picture.headers.get('content-security-policy')).toContain('sandbox');
    for (const { headers } of [styles, picture])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });
});

test.each([
  ['viewBox="-5 0 120.5 40"', 96],
  ["viewBox='0,0,10,40' width='100%' height='1em'", 8],
  ['viewBox="0 0 10 10" width="48" height="24"', 64],
  ['width="60mm"\n height="20mm"', 96],
  ['viewBox="0 0 10 10" width="2in" height="20mm"', 32],
  ['viewBox="0 0 10 0"', undefined],
  ['data-width="8" data-height="4"', undefined],
])('the place of a logo that is still to come is as wide as it: %j', (attributes, width) => {
  expect(computeLogoWidth(`<?xml version="1.0"?><svg ${attributes}><rect width="1" height="9"/></svg>`)).toBe(width);
});

test('a logo with endless sizes costs no time', () => {
  const digits = '9'.repeat(9_000);
  for (const attributes of [
    `viewBox="0 0 ${digits} ${digits}x"`,
    `width="${digits}%" height="1"`,
    `width${' '.repeat(9_000)}`,
  ])
    expect(computeLogoWidth(`<svg ${attributes}/>`)).toBeUndefined();
});

describe('the address /shop/', () => {
  const locationOf = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const { status, headers: answered } = await get(path, headers);
    return [status, answered.get('location')];
  };

  test('leads to the point of sale of the host, else to that of the setting', async () => {
    const { serviceHost } = its.pointOfSale;
    expect(await locationOf('/shop/?lang=de', { 'x-forwarded-host': serviceHost })).toEqual([302, `${home}/?lang=de`]);
    expect(await locationOf('/shop/', { 'x-forwarded-host': `${serviceHost}:8443` })).toEqual([302, `${home}/`]);
    expect(await locationOf('/shop/')).toEqual([200, null]);
    its.catalog.pointOfSale({ serviceHost: SHOP_HOST });
    const later = await openFixture({ shopHost: SHOP_HOST });
    later.catalog.pointOfSale({ serviceHost: SHOP_HOST });
    const response = await fetch(`${later.url}/shop/`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe(`/shop/${SHOP_HOST}/`);
    await later.close();
  });

  test('with a host, and without a slash at its end, leads on', async () => {
    expect(await locationOf('/shop/?host=A.example&lang=de')).toEqual([302, '/shop/a.example/?lang=de']);
    expect(await locationOf('/shop/?host=//evil.example')).toEqual([404, null]);
    expect(await locationOf('/shop?host=a.example')).toEqual([308, '/shop/?host=a.example']);
    expect(await locationOf(`${home}?lang=de`)).toEqual([308, `${home}/?lang=de`]);
  });
});
