import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { openFixture, waitUntil } from '../fixture/fixture.ts';
import { getPage } from './fixture.ts';

const its = useFixture(() => openFixture());

const get = (path: string, headers?: Readonly<Record<string, string>>) => getPage(its.url + path, headers);

test.each([
  ['', { 'accept-language': 'de-CH' }, 'de', 'Wo möchten Sie kaufen?'],
  ['?lang=en', { 'accept-language': 'de-CH' }, 'en', 'Where would you like to buy?'],
  ['', { cookie: 'boxoffice.language=fr' }, 'fr', 'Où souhaitez-vous acheter ?'],
])('the address /shop/ that names no shop lists all, in a language: %s %j', async (query, headers, language, words) => {
  const { serviceHost } = its.catalog.pointOfSale({
    name: { fr: 'Notre <stage>', en: 'Our <stage>' },
    languages: ['fr', 'en'],
  });
  // The list is at most three seconds old.
  const listed = async () => (await get('/shop/')).text.includes(serviceHost);
  await waitUntil(listed);
  const { status, text, headers: answered } = await get(`/shop/${query}`, headers);
  expect([status, answered.get('content-language')]).toEqual([200, language]);
  expect(text).toContain(`<html lang="${language}">`);
  expect(text).toContain(words);
  expect(text).toContain(`<a href="/shop/${serviceHost}/">${language === 'en' ? 'Our' : 'Notre'} &lt;stage&gt;</a>`);
  expect(text).toContain(`<a href="/shop/${its.pointOfSale.serviceHost}/">`);
  expect(answered.get('set-cookie')).toEqual(query ? expect.stringContaining('boxoffice.language=en') : null);
});

test('the list is there where /shop/ leads to a shop, too, and the demo shops lead to it', async () => {
  const headers = { 'x-forwarded-host': its.pointOfSale.serviceHost };
  expect([(await get('/shop/', headers)).status, (await get('/shop/?all', headers)).status]).toEqual([302, 200]);
  const demo = its.catalog.pointOfSale({ demo: true }).serviceHost;
  const [shown, other] = [
    await get(`/shop/${demo}/cart?lang=en`),
    await get(`/shop/${its.pointOfSale.serviceHost}/cart?lang=en`),
  ];
  expect(shown.text).toContain('<a href="/shop/?all">All shops</a>');
  expect(other.text).not.toContain('/shop/?all');
});

test('without a shop the list says how one is made', async () => {
  const { url, catalog, close } = await openFixture();
  catalog.hide();
  const response = await fetch(`${url}/shop/`, { headers: { 'accept-language': 'en' } });
  const text = await response.text();
  await close();
  expect(response.status).toBe(200);
  expect(text).toContain('its first point of sale that has a tariff and a payment method');
  expect(text).toContain('<a href="/docs">');
  expect(text).not.toContain('<li>');
});
