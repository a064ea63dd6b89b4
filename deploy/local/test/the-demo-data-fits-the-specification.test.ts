import { authorizer, createClient, listClients } from '@boxoffice/authorizer';
import { listTestEngines } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { registerClients } from '../src/demo/accounts.ts';
import { selectSoldPlaces } from '../src/demo/box-office.ts';
import { buildProductBodies, type DemoInstitution, museum, type NewProduct, opera } from '../src/demo/institutions.ts';
import { createProgressLine } from '../src/screen.ts';

const now = new Date('2027-05-05T10:00:00.000Z');

const idsOf = (coded: readonly { readonly code: string }[] = []) =>
  Object.fromEntries(coded.map(({ code }) => [code, `id of ${code}`]));

const productsOf = (institution: DemoInstitution, at = now): NewProduct[] =>
  buildProductBodies(institution, { tariffs: idsOf(institution.tariffs), taxes: idsOf(institution.taxes) }, at);

const capacityOf = ({ performances }: NewProduct): number =>
  performances.flatMap(({ seatCategories }) => seatCategories).reduce((sum, { capacity }) => sum + capacity, 0);

describe('the demo catalogue', () => {
  test('has exactly 254 running shows at the opera, and some of every other type that can be kept', () => {
    const products = productsOf(opera);
    const shows = products.filter(({ type }) => type === 'show');
    expect(shows).toHaveLength(254);
    expect(new Set(shows.map(({ name }) => name.en)).size).toBe(254);
    expect(new Set(products.map(({ state }) => state))).toEqual(new Set(['running']));
    expect(new Set(products.map(({ type }) => type))).toEqual(
      new Set(['show', 'pass', 'membership', 'service', 'goods', 'package']),
    );
  });

  test('has passes that admit daily and without a limit', () => {
    const entries = [opera, museum].flatMap((institution) => productsOf(institution).map((product) => product.entries));
    expect(new Set(entries)).toEqual(new Set([undefined, 'daily', 'unlimited']));
  });

  test('has at most 30,000 places', () => {
    const places = [opera, museum]
      .flatMap((institution) => productsOf(institution))
      .reduce((sum, product) => sum + capacityOf(product), 0);
    expect(places).toBeGreaterThan(10_000);
    expect(places).toBeLessThanOrEqual(30_000);
  });

  for (const institution of [opera, museum])
    test(`${institution.id}: names in every language, prices for every tariff, a member's tariff, sales open, dates ahead`, () => {
      const products = productsOf(institution);
      expect(new Set(products.map(({ code }) => code)).size).toBe(products.length);
      expect(institution.tariffs.some(({ criterion }) => criterion === 'member')).toBe(true);
      for (const { type, name, description, endDate, performances } of products) {
        expect(Object.keys(name).sort()).toEqual([...institution.languages].sort());
        expect(Object.keys(description).sort()).toEqual([...institution.languages].sort());
        for (const performance of performances) {
          // What is no show is valid from the day on.
          const ahead = type === 'show' ? performance.startDate : endDate;
          expect(ahead > now.toISOString()).toBe(true);
          expect(performance.salesFrom < now.toISOString()).toBe(true);
          expect(performance.salesTo > now.toISOString()).toBe(true);
          for (const { code, capacity, rows } of performance.seatCategories) {
            expect(performance.prices.some(({ seatCategory, tariffId }) => seatCategory === code && tariffId)).toBe(
              true,
            );
            if (rows) expect(rows.reduce((sum, { seats }) => sum + seats, 0)).toBe(capacity);
          }
        }
      }
    });

  test('the opera has two rates of tax, a fee per ticket, a family discount from four places, and codes with and without limits', () => {
    expect(opera.taxes).toMatchObject([{ rate: '2.6' }, { rate: '8.1' }]);
    const taxes = new Set(productsOf(opera).map(({ taxId }) => taxId));
    expect(taxes).toEqual(new Set(['id of VAT-REDUCED', 'id of VAT-STANDARD', undefined]));
    expect(opera.fees).toMatchObject([{ per: 'ticket', tax: 'VAT-STANDARD' }]);
    const { discounts = [] } = opera;
    expect(discounts.filter(({ trigger }) => trigger === 'automatic')).toMatchObject([{ minPlaces: 4 }]);
    const limits = discounts.flatMap(({ codes = [] }) => codes.map(({ maxUses }) => maxUses));
    expect(new Set(limits)).toEqual(new Set([null, 1, 2]));
    const hidden = opera.tariffs.filter((tariff) => 'hidden' in tariff).map(({ code }) => code);
    expect(discounts.flatMap(({ unlocks = [] }) => unlocks)).toEqual(hidden);
  });

  test('the museum has neither taxes nor fees nor discounts', () => {
    expect([museum.taxes, museum.fees, museum.discounts]).toEqual([undefined, undefined, undefined]);
    expect(productsOf(museum).some((product) => 'taxId' in product)).toBe(false);
  });

  for (const institution of [opera, museum])
    test(`${institution.id}: the fixtures are what they are called`, () => {
      const byCode = new Map(productsOf(institution).map((product) => [product.code, product]));
      const { soldOut, numbered, twoLeft } = institution.fixtures;
      const show = (code: string): NewProduct => {
        const product = byCode.get(code);
        expect(product?.type).toBe('show');
        expect(product?.performances).toHaveLength(1);
        return product as NewProduct;
      };
      // One seat category, so that selling it down to none or two places leaves none or two of the show.
      for (const code of [soldOut, twoLeft]) expect(show(code).performances[0]?.seatCategories).toHaveLength(1);
      expect(capacityOf(show(soldOut))).toBeGreaterThan(0);
      expect(capacityOf(show(twoLeft))).toBeGreaterThan(2);
      expect(show(numbered).performances[0]?.seatCategories.every((category) => category.numbered)).toBe(true);
    });

  test.each(['00:00', '09:29', '09:31', '10:30', '17:29', '17:31', '18:30', '23:59'])(
    'something begins within the next 24 hours of a start at %s, and is on sale until then',
    (time) => {
      const at = Date.parse(`2027-05-05T${time}:00.000Z`);
      const hoursAhead = productsOf(opera, new Date(at))
        .filter(({ type }) => type === 'show')
        .flatMap(({ performances }) => performances)
        .map(({ startDate }) => (Date.parse(startDate) - at) / 3_600_000);
      const [first = 0] = hoursAhead.sort((a, b) => a - b);
      expect(first).toBeGreaterThanOrEqual(1);
      expect(first).toBeLessThan(24);
    },
  );

  test('the large stages have plans: each row of a category is in one area, wheelchair places are a category', () => {
    const halls = new Map(
      productsOf(opera)
        .flatMap(({ performances }) => performances)
        .filter(({ seatMap }) => seatMap)
        .map((performance) => [performance.venue.name, performance]),
    );
    expect([...halls.keys()].sort()).toEqual(['Grand Théâtre', 'Petite salle', 'Salle de concert du Lac']);
    for (const { seatCategories, seatMap } of halls.values()) {
      expect(seatCategories.map(({ code }) => code)).toContain('WHEELCHAIR');
      for (const { code, rows } of seatCategories)
        expect(
          seatMap?.areas
            .filter(({ seatCategory }) => seatCategory === code)
            .flatMap((area) => area.rows.map(({ row }) => row))
            .sort(),
        ).toEqual(rows?.map(({ row }) => row).sort());
    }
  });

  test('the show with numbered seats has stalls of ten rows of twenty first, and a first balcony', () => {
    const { performances } = productsOf(opera).find(({ code }) => code === opera.fixtures.numbered) as NewProduct;
    const [stalls, balcony] = performances[0]?.seatCategories ?? [];
    expect(stalls?.rows).toEqual([...'ABCDEFGHJK'].map((row) => ({ row, seats: 20 })));
    expect([stalls?.code, balcony?.code]).toEqual(['STALLS', 'BALCONY']);
  });

  test('what is sold of an evening is the same everywhere, in neighbouring places, and leaves some', () => {
    const places = Array.from({ length: 110 }, (_, at) => ({
      id: `plc_${at}`,
      seatCategoryId: 'cat',
      row: String(Math.floor(at / 10)),
    }));
    for (let evening = 0; evening < 30; evening += 1) {
      const taken = selectSoldPlaces(places, evening);
      expect(taken).toEqual(selectSoldPlaces(places, evening));
      expect(new Set(taken).size).toBe(taken.length);
      expect(taken.length).toBeGreaterThan(5);
      expect(taken.length).toBeLessThan(100);
    }
    expect(selectSoldPlaces(places, 1)).not.toEqual(selectSoldPlaces(places, 2));
  });
});

const [engine] = listTestEngines('authorizer', authorizer.collections);

test('clients that an older release made have the scopes and bounds that a new file says', async () => {
  if (!engine) throw new Error('there is no engine');
  const { store, discard } = await engine.open();
  const older = await createClient(store, { institution: 'opera', name: 'full', scopes: ['catalog:read'] });
  const written = await registerClients(store, opera, 'https://tickets.example.org');
  const stored = await listClients(store, 'opera');
  // Clients made in one millisecond are listed in any order.
  const byId = (one: { readonly clientId: string }, other: { readonly clientId: string }) =>
    one.clientId < other.clientId ? -1 : 1;
  const shown = written.map(({ name, clientId, scopes, bounds = null }) => {
    // People read this name when they sign in at the door.
    return { name: name === 'door' ? 'Door control' : name, clientId, scopes, bounds };
  });
  expect(shown.toSorted(byId)).toEqual(
    stored.map(({ name, clientId, scopes, bounds }) => ({ name, clientId, scopes, bounds })).toSorted(byId),
  );
  expect(written[0]).toMatchObject({ clientId: older.clientId, scopes: expect.arrayContaining(['payments:write']) });
  expect(written.find(({ name }) => name === 'reseller')).toMatchObject({
    bounds: { ownOrders: true, pointsOfSale: ['tickets.opera.example'] },
  });
  await discard();
});

/** Reports 272 products, one every 10 ms, and returns the output. */
const written = (isTTY: boolean): string => {
  let text = '';
  let time = 0;
  const line = createProgressLine({ isTTY, columns: 80, write: (more) => (text += more) }, () => time);
  for (let done = 1; done <= 272; done += 1) {
    line.tell(`${done} of 272 products`);
    time += 10;
  }
  line.end();
  return text;
};

test('in a terminal the progress is one line, rewritten', () => {
  expect(written(true).split('\n')).toHaveLength(2);
  expect(written(true)).toContain('Demo data: 272 of 272 products\n');
});

test('a step has its line, also within the second of the one before', () => {
  let text = '';
  const line = createProgressLine({ write: (more) => (text += more) }, () => 0);
  for (const what of ['1 of 9 products', '2 of 9 products', 'first orders']) line.tell(what);
  expect(text).toBe('Demo data: 1 of 9 products\nDemo data: first orders\n');
});

test('elsewhere it is a line for every second', () => {
  expect(written(false).trim().split('\n')).toEqual([
    'Demo data: 1 of 272 products',
    'Demo data: 101 of 272 products',
    'Demo data: 201 of 272 products',
  ]);
});
