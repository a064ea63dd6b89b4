import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { dayOf, findIn } from '../../src/domain/programme.ts';
import { openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

const at = (startDate: string, venue: string, timeZone = 'Europe/Zurich') => ({
  startDate,
  timeZone,
  venue: { name: venue },
});

const hall = 'Grande salle';
const studio = 'Studio';
const items = [
  { title: 'La Bohème', performances: [at('2027-03-12T19:00:00Z', hall), at('2027-03-14T19:00:00Z', studio)] },
  { title: 'Boris', performances: [at('2027-03-12T23:30:00Z', hall)] },
  { title: 'Livre', performances: [] },
];

const titles = (wanted: Parameters<typeof findIn>[1]) => findIn(items, wanted).found.map(({ item }) => item.title);

describe('findIn', () => {
  test('a day is that of the place, whatever the hour', () => {
    expect(dayOf({ startDate: '2027-03-12T23:30:00Z', timeZone: 'Europe/Zurich' })).toBe('2027-03-13');
    expect(dayOf({ startDate: '2027-03-12T23:30:00Z', timeZone: 'America/New_York' })).toBe('2027-03-12');
    expect(titles({ from: '2027-03-13', to: '2027-03-13' })).toEqual(['Boris']);
    expect(titles({ from: '2027-03-13' })).toEqual(['La Bohème', 'Boris']);
    expect(titles({ to: '2027-03-12' })).toEqual(['La Bohème']);
  });

  test('words are found without case and accents, all of them, and nothing is wanted by nothing', () => {
    expect(titles({ q: ' BOHEME la' })).toEqual(['La Bohème']);
    expect(titles({ q: 'bo x' })).toEqual([]);
    expect(titles({})).toEqual(['La Bohème', 'Boris', 'Livre']);
  });

  test('days are those at the venue, venues those on the days, and each match has its performances', () => {
    const { found, days, venues } = findIn(items, { venue: studio, from: '2027-03-14' });
    expect(found.map(({ performances }) => performances.length)).toEqual([1]);
    expect(days).toEqual({ '2027-03-14': 1 });
    expect(venues).toEqual([studio]);
    expect(findIn(items, { to: '2027-03-12' }).venues).toEqual([hall]);
    expect(findIn(items, { venue: hall }).days).toEqual({ '2027-03-12': 1, '2027-03-13': 1 });
  });
});

test('the programme of a point of sale, in the language of the visitor', async () => {
  const institution = 'programme';
  const { serviceHost: host } = fixture.catalog.pointOfSale({ institution });
  const name = { fr: 'Contes', de: 'Märchen' };
  const tale = fixture.catalog.show({ institution, name, startDate: '2031-05-02T18:00:00.000Z' });
  fixture.catalog.show({ institution, name: { fr: 'Nuit' }, startDate: '2031-05-01T18:00:00.000Z' });
  const goods = fixture.catalog.show({ institution, name, type: 'goods' });
  const find = (query: string) => fixture.call('GET', `/programme?${query}`, { host, version: 'vexp' });

  const all = await find('');
  expect([all.status, all.headers.get('x-total-amount')]).toEqual([200, '3']);
  const { text, data } = await find('type=show&q=marchen&from=2031-05-02&to=2031-05-02&lang=de');
  expect(data).toMatchObject({
    products: {
      [tale.product.id]: { name: 'Märchen', performances: 1, performance: { id: tale.performanceId } },
    },
    days: { '2031-05-02': 1 },
  });
  expect(text).not.toContain(goods.product.id);
  expect((await find('type=goods')).data).toMatchObject({
    products: { [goods.product.id]: { performance: null, performances: 0 } },
    days: {},
    venues: [],
  });
  expect((await find('from=tomorrow')).code).toBe('invalid_parameter');
  expect((await fixture.call('GET', '/programme', { host })).status).toBe(404);
});
