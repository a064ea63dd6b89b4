import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Show } from '../fixture/catalog.ts';
import { openFixture } from '../fixture/fixture.ts';
import { getDrawnPage, importShopModule, readPageData } from './fixture.ts';

const its = useFixture(() => openFixture());

const institution = 'world';
let host = '';
// The first performance of the institution is in Zurich, and no other one is.
let newYork: Show;
let tokyo: Show;
let winnipeg: Show;
let twice: Show;
let pass: Show;
beforeAll(() => {
  host = its.catalog.pointOfSale({ institution }).serviceHost;
  const show = (city: string, timeZone: string, startDate: string, type: 'show' | 'pass' = 'show') =>
    its.catalog.show({ institution, name: { en: city }, timeZone, startDate, type });
  show('Zurich', 'Europe/Zurich', '2030-06-01T18:00:00.000Z');
  newYork = show('New York', 'America/New_York', '2031-01-01T00:30:00.000Z');
  tokyo = show('Tokyo', 'Asia/Tokyo', '2030-12-31T15:00:00.000Z');
  winnipeg = show('Winnipeg', 'America/Winnipeg', '2030-12-12T00:30:00.000Z');
  twice = show('Rome', 'Europe/Rome', '2031-10-26T01:30:00.000Z');
  pass = show('Pass', 'Asia/Tokyo', '2030-12-31T15:00:00.000Z', 'pass');
  Object.assign(pass.product, { endDate: '2031-12-31T15:00:00.000Z' });
});

const drawn = async (path: string) => (await getDrawnPage(`${its.url}/shop/${host}${path}`)).text;

/** The texts of the elements of a class. */
const saidBy = (text: string, kind: string): string[] =>
  [...text.matchAll(new RegExp(`<[a-z0-9]+ class="${kind}"[^>]*>(.*?)</`, 'g'))].map(([, said = '']) => said);

const seen = (text: string): string => text.replaceAll(/\s/g, ' ');

const call = async <Data>(path: string) => (await its.call<Data>('GET', path, { host, version: 'vexp' })).data;

describe('a shop of venues in several time zones', () => {
  test('groups its list by their months and dates it by their days', async () => {
    const text = await drawn('/?lang=en');
    const months = [...text.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, name]) => name);
    expect(months).toEqual(['June 2030', 'December 2030', 'January 2031', 'October 2031']);
    expect(saidBy(text, 'card-date')).toEqual([
      'Sat 1 June',
      'Wed 11 December',
      'Tue 31 December',
      'Wed 1 January',
      'Sun 26 October',
    ]);
  });

  test.each([
    ['2030-12-31', 'New York', '31 December 2030, 19:30'],
    ['2031-01-01', 'Tokyo', '1 January 2031, 0:00'],
    ['2030-12-11', 'Winnipeg', '11 December 2030, 19:30'],
    ['2031-10-26', 'Rome', '26 October 2031, 2:30 (GMT+1)'],
  ])('finds by day: on %s there is %s', async (day, city, date) => {
    const text = await drawn(`/?lang=en&date=${day}`);
    expect([saidBy(text, 'card-name'), saidBy(text, 'card-date')]).toEqual([[city], [date]]);
    const { products, days } = await call<{ products: object; days: object }>(`/programme?from=${day}&to=${day}`);
    expect(Object.values(products)).toMatchObject([{ name: city }]);
    expect(days).toMatchObject({ [day]: 1 });
  });

  test('has a head with the day there', async () => {
    const heads = async ({ product: { id } }: Show) =>
      saidBy((await drawn(`/show/${id}?lang=en`)).replaceAll('<dd>', '<dd class="fact">'), 'fact')[0];
    expect(await Promise.all([newYork, tokyo, winnipeg, twice].map(heads))).toEqual([
      '31 December 2030',
      '1 January 2031',
      '11 December 2030',
      '26 October 2031',
    ]);
    // From midnight to midnight in Tokyo.
    expect(seen(String(await heads(pass)))).toBe('1 January – 31 December 2031');
  });

  test('tells search engines and scripts the time there, with its offset', async () => {
    const text = await drawn(`/show/${newYork.product.id}?lang=en`);
    expect(text).toContain('"startDate":"2030-12-31T19:30:00-05:00","endDate":"2030-12-31T21:30:00-05:00"');
    const { first, ...shop } = readPageData(text);
    expect(shop).not.toHaveProperty('timeZone');
    expect(first.data).toMatchObject({ localStartDate: '2030-12-31T19:30:00-05:00' });
    const page = await call(`/products/${twice.product.id}?lang=en`);
    expect(page).toMatchObject({
      localStartDate: '2031-10-26T02:30:00+01:00',
      performances: [{ localStartDate: '2031-10-26T02:30:00+01:00', startOffset: 'GMT+1' }],
    });
  });
});

describe('the part in the browser', () => {
  test('shows the time that the server sent, whatever the time zones that it knows', async () => {
    const text = await drawn(`/show/${newYork.product.id}?lang=en`);
    (await importShopModule('frame.js')).useShop(readPageData(text));
    const { longDay, shortDay, time, dayParts, period } = await importShopModule('texts/index.js');
    const [performance] = readPageData(text).first.data.performances;
    const strange = { ...performance, timeZone: 'Mars/Olympus', startDate: '2000-01-01T00:00:00.000Z' };
    const { localStartDate } = strange;
    expect([longDay(localStartDate), shortDay(localStartDate), time(strange), period(localStartDate)]).toEqual([
      'Tuesday, 31 December 2030',
      'Tue 31 December',
      '19:30',
      '31 December 2030',
    ]);
    expect(dayParts(localStartDate)).toMatchObject({ day: '31', month: 'December 2030', weekday: 'Tuesday' });
    expect(time({ ...strange, startOffset: 'GMT+1' })).toBe('19:30 (GMT+1)');
  });
});
