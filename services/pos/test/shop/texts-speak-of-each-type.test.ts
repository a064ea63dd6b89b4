import { describe, expect, test } from '@jest/globals';
import { importShopModule } from './fixture.ts';

type Texts = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const { useShop } = await importShopModule('frame.js');
const { TYPES, isShow, t, typeOf, useTexts } = await importShopModule('texts/index.js');
const tables: Readonly<Record<string, Texts>> = Object.fromEntries(
  await Promise.all(['en', 'de', 'fr'].map(async (code) => [code, (await importShopModule(`texts/${code}.js`))[code]])),
);

const OTHERS: readonly string[] = TYPES.slice(1);
const FORM = new RegExp(`_(?:other|mixed|${OTHERS.join('|')})$`);

/** Names of texts that end like a form of one. */
const NO_FORMS = new Set(OTHERS.map((type) => `type_${type}`));

describe.each(Object.entries(tables))('the texts in %s', (_code, table) => {
  test('have the names of the English ones', () => {
    expect(Object.keys(table).toSorted()).toEqual(Object.keys(tables.en ?? {}).toSorted());
    expect(Object.keys(table.errors ?? {}).toSorted()).toEqual(Object.keys(tables.en?.errors ?? {}).toSorted());
  });

  test('have a name and a noun for every type', () => {
    for (const type of OTHERS) expect(table).toMatchObject({ [`type_${type}`]: expect.any(String) });
    for (const type of [...OTHERS, 'mixed'])
      expect(table[`things_${type}`]).toEqual({ one: expect.any(String), other: expect.any(String) });
  });

  test('have a form of a type only for a text that is there without it', () => {
    const forms = Object.keys(table).filter((name) => FORM.test(name) && !NO_FORMS.has(name));
    expect(forms.length).toBeGreaterThan(20);
    for (const name of forms) expect(table).toHaveProperty([name.replace(FORM, '')]);
  });

  test('have no line break before a punctuation mark', () => {
    const all = Object.values(table).flatMap((text) => (typeof text === 'string' ? [text] : Object.values(text)));
    expect(all.filter((text) => / [:;!?»]|« /.test(text))).toEqual([]);
  });
});

describe('a text', () => {
  const say = (code: string, name: string, values: object) => {
    useShop({ texts: code });
    useTexts(tables[code]);
    return t(name, values);
  };

  test.each([
    ['en', 'chosen', { type: 'goods', count: 1, price: '€ 5' }, '1 item, € 5'],
    ['en', 'placesInCart', { type: 'mixed', count: 2 }, '2 items in the cart'],
    ['de', 'roomLeft', { type: 'membership', count: 1 }, 'In diese Bestellung passt noch 1 Mitgliedschaft.'],
    ['de', 'roomLeft', { type: 'season_ticket', count: 3 }, 'In diese Bestellung passen noch 3 Abonnemente.'],
    ['de', 'validFrom', { type: 'goods' }, 'Erhältlich ab'],
    ['de', 'validFrom', { type: 'pass' }, 'Gültig ab'],
    ['fr', 'soldOut', { type: 'service' }, 'Épuisé'],
    ['fr', 'soldOut', { type: 'show' }, 'Complet'],
    ['fr', 'limit', { type: 'show', count: 8 }, 'Une commande compte au plus 8 billets.'],
    ['fr', 'placesLeft', { type: 'goods', count: 1 }, 'Il reste 1 article'],
  ])('in %s, %s with %j is: %s', (code, name, values, text) => {
    expect(say(code, name, values)).toBe(text);
  });

  test.each([undefined, null, 'hologram'])('of what has no known type (%j) is that of a show', (type) => {
    expect([isShow(type), say('en', 'thankYou', { type })]).toEqual([true, 'Thank you. See you at the show!']);
  });
});

test('things of one type are of that type, others are mixed, and unknown ones are shows', () => {
  const of = (...types: (string | null)[]) => typeOf(types.map((productType) => ({ productType })));
  expect([of('pass', 'pass'), of('pass', 'goods'), of(null, 'show'), of('goods', null), typeOf([{}]), of()]).toEqual([
    'pass',
    'mixed',
    'show',
    'mixed',
    'show',
    'show',
  ]);
});
