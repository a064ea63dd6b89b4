// rule commerce.4: base + Σ components = amount; net + tax = gross; Σ line.taxes.gross = amount | libs/prices/src/price.ts
// rule commerce.4: Discount first, then fees | libs/prices/src/price.ts
// rule commerce.4: A line gets at most one discount | libs/prices/src/discounts.ts
// rule commerce.4: State of a code, the first that holds | libs/prices/src/discounts.ts
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseDiscounts, computeLowering } from '../src/discounts.ts';
import { addUp, computeOrderPrice, type Price } from '../src/price.ts';
import { type Buying, type Discount, type Fee, type PricedItem, UNTAXED } from '../src/terms.ts';

const NOW = Date.parse('2027-02-01T12:00:00.000Z');
const CREATED = '2027-01-01T00:00:00.000Z';
const visitor: Buying = { pointOfSale: 'shop.example', clientId: null, criteria: null, codes: [], now: NOW };
const standard = { taxId: 'tax_standard', rate: '8.1' };
const reduced = { taxId: 'tax_reduced', rate: '2.6' };

const createItem = (id: string, base: number, more: Partial<PricedItem> = {}): PricedItem => ({
  ...{ id, productId: 'prd_1', performanceId: 'prf_1', tariffId: 'trf_1', hidden: false, base, tax: UNTAXED, fees: [] },
  grant: null,
  ...more,
});

const createDiscount = (id: string, effect: Discount['effect'], more: Partial<Discount> = {}): Discount => ({
  ...{ id, name: { en: id }, trigger: 'automatic', effect, unlocks: [], criterion: null, minPlaces: 1 },
  ...{ productIds: null, performanceIds: null, tariffIds: null, channels: null, createdAt: CREATED },
  ...{ state: 'active', validFrom: null, validTo: null, usesPerOrder: null, free: null, codes: [] },
  ...more,
});

const createCoded = (code: string, effect: Discount['effect'], more: Partial<Discount> = {}): Discount =>
  createDiscount(`dsc_${code}`, effect, {
    trigger: 'code',
    codes: [{ code, id: `cod_${code}`, free: null }],
    ...more,
  });

const createFee = (id: string, effect: Fee['effect'], tax: Fee['tax'] = UNTAXED): Fee => ({
  ...{ id, name: { en: id }, effect, tax },
});

const price = (
  items: readonly PricedItem[],
  discounts: readonly Discount[] = [],
  buying: Partial<Buying> = {},
  fees: readonly Fee[] = [],
): Price => computeOrderPrice(items, { fees, discounts, buying: { ...visitor, ...buying } });

const amountsOf = ({ lines }: Price): number[] => lines.map(({ amount }) => amount);
const discountsOf = ({ lines }: Price): (string | null)[] => lines.map(({ grant }) => grant?.terms.id ?? null);
const statesOf = ({ codes }: Price): string[] => codes.map(({ state }) => state);

describe('one line', () => {
  const sale = createDiscount('dsc_sale', { percent: '20' });

  test('has its discount first, then fees of what is left; each part has its own tax', () => {
    const fees = [
      createFee('fee_system', { amount: 100 }, standard),
      createFee('fee_share', { percent: '5' }, reduced),
    ];
    const { lines, total, taxes } = price([createItem('a', 1_000, { tax: reduced, fees })], [sale]);
    expect(lines).toMatchObject([
      {
        amount: 940,
        components: [
          { kind: 'discount', id: 'dsc_sale', amount: -200 },
          { kind: 'fee', id: 'fee_system', amount: 100 },
          { kind: 'fee', id: 'fee_share', amount: 40 },
        ],
        taxes: [
          { ...reduced, net: 819, tax: 21, gross: 840 },
          { ...standard, net: 93, tax: 7, gross: 100 },
        ],
      },
    ]);
    expect([total, taxes]).toEqual([940, lines[0]?.taxes]);
  });

  test('that costs nothing has no ticket fee, no order fee, and one tax of 0', () => {
    const fees = [createFee('fee_system', { amount: 100 })];
    const free = price([createItem('a', 800, { fees, tax: reduced })], [createDiscount('dsc', { price: 0 })], {}, fees);
    expect(free).toMatchObject({ total: 0, fees: [], taxes: [] });
    expect(free.lines).toMatchObject([{ amount: 0, taxes: [{ ...reduced, net: 0, tax: 0, gross: 0 }] }]);
    const mixed = price([createItem('a', 0, { fees }), createItem('b', 1, { fees })], [], {}, fees);
    expect([amountsOf(mixed), mixed.fees.length, mixed.total]).toEqual([[0, 101], 1, 201]);
  });

  test.each<[string, Discount['effect'], number]>([
    ['more than its price', { amount: 2_000 }, 0],
    ['to a price above its own', { price: 1_500 }, 1_000],
    ['to a price below its own', { price: 300 }, 300],
    ['by a part, rounded once', { percent: '33.3333', roundTo: 5 }, 665],
    ['by nothing', null, 1_000],
  ])('lowered by %s never gets dearer, nor less than nothing', (_, effect, amount) => {
    expect(amountsOf(price([createItem('a', 1_000)], [createDiscount('dsc', effect)]))).toEqual([amount]);
  });

  test('takes the lowest price; among equals what it has, the automatic one, the older one', () => {
    const [dear, coded] = [createDiscount('dsc_1', { amount: 10 }), createCoded('LESS', { amount: 200 })];
    const older = createDiscount('dsc_9', { amount: 200 }, { createdAt: '2026-01-01T00:00:00.000Z' });
    const codes = ['less'];
    const items = [createItem('a', 1_000)];
    expect(discountsOf(price(items, [dear, coded], { codes }))).toEqual(['dsc_LESS']);
    expect(discountsOf(price(items, [dear, coded, sale], { codes }))).toEqual(['dsc_sale']);
    expect(discountsOf(price(items, [coded, sale, older], { codes }))).toEqual(['dsc_9']);
    const kept = createItem('a', 1_000, { grant: { terms: coded, code: 'LESS', uses: ['use_1'] } });
    expect(price([kept], [sale, older], { codes }).lines).toMatchObject([{ grant: { uses: ['use_1'] }, wanted: [] }]);
  });
});

describe('a discount that a line has', () => {
  const terms = createCoded('OLD', { amount: 300 });
  const kept = createItem('a', 1_000, { grant: { terms, code: 'OLD', uses: ['use_1'] } });

  test('stays while it matches, whatever became of it, and competes with the others', () => {
    const paused: Discount = { ...terms, state: 'paused', free: 0 };
    for (const discounts of [[], [paused]]) {
      const { lines, codes } = price([kept, createItem('b', 1_000)], discounts, { codes: ['OLD'] });
      expect(lines.map(({ amount }) => amount)).toEqual([700, 1_000]);
      expect(codes).toEqual([{ code: 'OLD', discountId: 'dsc_OLD', state: 'applied' }]);
    }
    const better = createDiscount('dsc_more', { amount: 400 });
    const replaced = price([kept], [better], { codes: ['OLD'] });
    expect([amountsOf(replaced), discountsOf(replaced)]).toEqual([[600], ['dsc_more']]);
  });

  test('goes with its code, its contact and its other lines', () => {
    expect(amountsOf(price([kept], [], { codes: [] }))).toEqual([1_000]);
    const members = { ...terms, criterion: 'member', trigger: 'automatic' as const };
    const ofMember = createItem('a', 1_000, { grant: { terms: members, code: null, uses: [] } });
    expect(amountsOf(price([ofMember], [], { criteria: ['member'] }))).toEqual([700]);
    expect(amountsOf(price([ofMember], [], { criteria: [] }))).toEqual([1_000]);
    const group = { ...terms, minPlaces: 2, trigger: 'automatic' as const };
    const ofGroup = createItem('a', 1_000, { grant: { terms: group, code: null, uses: [] } });
    expect(amountsOf(price([ofGroup, createItem('b', 10)]))).toEqual([700, 10]);
    expect(amountsOf(price([ofGroup]))).toEqual([1_000]);
  });

  test('passes its use to another line, if its own has something cheaper', () => {
    const now = createCoded('OLD', { amount: 300 }, { free: 0 });
    const better = createDiscount('dsc_more', { amount: 400 }, { performanceIds: ['prf_1'] });
    const other = createItem('b', 1_000, { performanceId: 'prf_2' });
    const priced = price([kept, other], [now, better], { codes: ['OLD'] });
    expect([amountsOf(priced), discountsOf(priced)]).toEqual([
      [600, 700],
      ['dsc_more', 'dsc_OLD'],
    ]);
    expect(priced.lines[1]).toMatchObject({ grant: { uses: ['use_1'] }, wanted: [] });
  });

  test('has the new effect of a discount that lowers more now, with the use that the line has', () => {
    const raised = createCoded('OLD', { amount: 500 }, { free: 0 });
    const { lines } = price([kept], [raised], { codes: ['OLD'] });
    expect(lines).toMatchObject([{ amount: 500, grant: { uses: ['use_1'] }, wanted: [] }]);
  });
});

describe('limited uses', () => {
  const items = [createItem('a', 100), createItem('b', 300), createItem('c', 300), createItem('d', 200)];

  test('go to the lines that are lowered most, then to the earlier; the others take their next best', () => {
    const half = createDiscount('dsc_half', { percent: '50' }, { free: 2 });
    const small = createDiscount('dsc_small', { percent: '10' });
    const limited = price(items, [small, half]);
    expect(discountsOf(limited)).toEqual(['dsc_small', 'dsc_half', 'dsc_half', 'dsc_small']);
    expect(limited.lines.map(({ wanted }) => wanted)).toEqual([[], ['dsc_half'], ['dsc_half'], []]);
    expect(discountsOf(price(items, [{ ...half, free: 3 }, small]))[3]).toBe('dsc_half');
    const once = [{ ...half, free: null, usesPerOrder: 1 }];
    expect(discountsOf(price(items, once))).toEqual([null, 'dsc_half', null, null]);
  });

  test('of the codes of one discount add up, each with its own limit, as they were given', () => {
    const codes = [
      { code: 'ONE', id: 'cod_1', free: 1 },
      { code: 'TWO', id: 'cod_2', free: 2 },
    ];
    const discount = createCoded('', { amount: 50 }, { codes, free: 10 });
    const two = price(items, [discount], { codes: ['two', 'ONE', 'TWO'] });
    const wanted = [['dsc_', 'cod_2'], ['dsc_', 'cod_2'], ['dsc_', 'cod_1'], []];
    expect(two.lines.map((line) => line.wanted)).toEqual(wanted);
    const applied = { two: 'applied', ONE: 'applied' };
    expect(Object.fromEntries(two.codes.map(({ code, state }) => [code, state]))).toEqual(applied);
    expect(discountsOf(two).filter((one) => one !== null)).toHaveLength(3);
    const own = price(items, [{ ...discount, free: 1 }], { codes: ['ONE', 'TWO'] });
    expect(statesOf(own)).toEqual(['applied', 'superseded']);
  });
});

describe('a hidden tariff', () => {
  const hidden = createItem('a', 500, { tariffId: 'trf_hidden', hidden: true });
  const unlocks = ['trf_hidden'];

  test('is locked but for a discount that unlocks it, the only one that matches it', () => {
    const sale = createDiscount('dsc_sale', { percent: '20' });
    expect(price([hidden], [sale]).lines).toMatchObject([{ locked: true, amount: 500, grant: null }]);
    const key = createCoded('KEY', null, { unlocks, tariffIds: ['trf_other'] });
    const opened = price([hidden, createItem('b', 500)], [sale, key], { codes: ['KEY'] });
    expect(opened.lines).toMatchObject([
      { locked: false, amount: 500, components: [{ kind: 'discount', amount: 0 }] },
      { locked: false, amount: 400 },
    ]);
    expect(statesOf(opened)).toEqual(['applied']);
    const usedUp = price([hidden], [{ ...key, free: 0 }], { codes: ['KEY'] });
    expect(usedUp).toMatchObject({ lines: [{ locked: true }], codes: [{ state: 'limit_reached' }] });
  });
});

describe('the state of a code', () => {
  const items = [createItem('a', 1_000)];
  const half = createCoded('HALF', { percent: '50' });

  test.each<[string, Partial<Discount>, Partial<Buying>, string]>([
    ['that nobody has made', { codes: [] }, {}, 'unknown'],
    ['of a paused discount', { state: 'paused' }, {}, 'not_valid_now'],
    ['before its time', { validFrom: '2027-02-01T12:00:00.001Z', criterion: 'member' }, {}, 'not_valid_now'],
    ['after its time', { validTo: '2027-02-01T12:00:00.000Z' }, {}, 'not_valid_now'],
    ['at its first instant', { validFrom: '2027-02-01T12:00:00.000Z' }, {}, 'applied'],
    ['for members, without a contact', { criterion: 'member', productIds: [] }, {}, 'contact_required'],
    ['for members, with another contact', { criterion: 'member' }, { criteria: [] }, 'not_matching'],
    ['for members, with theirs', { criterion: 'member' }, { criteria: ['member'] }, 'applied'],
    ['of another product', { productIds: ['prd_2'], free: 0 }, {}, 'not_matching'],
    ['of another tariff', { tariffIds: ['trf_2'] }, {}, 'not_matching'],
    ['of another channel', { channels: { pointsOfSale: [], clientIds: ['cli_1'] } }, {}, 'not_matching'],
    ['of its channel', { channels: { pointsOfSale: ['shop.example'], clientIds: [] } }, {}, 'applied'],
    ['for two places', { minPlaces: 2 }, {}, 'not_matching'],
    ['without a use', { free: 0 }, {}, 'limit_reached'],
    ['that is used up', { codes: [{ code: 'HALF', id: 'cod', free: 0 }] }, {}, 'limit_reached'],
    ['that lowers nothing', { effect: { price: 2_000 } }, {}, 'superseded'],
    ['that lowers', {}, {}, 'applied'],
  ])('%s', (_, more, buying, state) => {
    expect(statesOf(price(items, [{ ...half, ...more }], { codes: ['half'], ...buying }))).toEqual([state]);
  });

  test('of a cheaper one beside it is `superseded`, and equal codes count as one', () => {
    const both = price(items, [half, createCoded('BEST', { percent: '60' })], { codes: ['Half', 'HALF', 'best'] });
    expect(both.codes).toEqual([
      { code: 'Half', discountId: 'dsc_HALF', state: 'superseded' },
      { code: 'best', discountId: 'dsc_BEST', state: 'applied' },
    ]);
  });
});

const percents = fc.nat({ max: 1_000_000 }).map((value) => String(value / 10_000));
const taxes = fc.oneof(
  fc.constant(UNTAXED),
  percents.map((rate) => ({ taxId: `tax_${rate}`, rate })),
);
const effects = fc.oneof(
  fc.record({ percent: percents, roundTo: fc.constantFrom(1, 5, 100) }),
  fc.record({ amount: fc.nat({ max: 40_000 }) }),
);
const feesOf = (prefix: string) =>
  fc
    .array(fc.record({ effect: effects, tax: taxes }), { maxLength: 3 })
    .map((all) => all.map(({ effect, tax }, index) => createFee(`${prefix}_${index}`, effect, tax)));
const discounts = fc
  .array(
    fc.record({
      effect: fc.oneof(effects, fc.record({ price: fc.nat({ max: 20_000 }) })),
      free: fc.option(fc.nat({ max: 5 })),
      usesPerOrder: fc.option(fc.integer({ min: 1, max: 5 })),
      minPlaces: fc.integer({ min: 1, max: 4 }),
      tariffIds: fc.option(fc.subarray(['trf_1', 'trf_2'])),
      isCoded: fc.boolean(),
      codes: fc.array(fc.option(fc.nat({ max: 3 })), { minLength: 1, maxLength: 3 }),
      createdAt: fc.constantFrom(CREATED, '2026-01-01T00:00:00.000Z'),
    }),
    { maxLength: 5 },
  )
  .map((all) =>
    all.map(({ isCoded, codes, effect, ...more }, index) =>
      createDiscount(`dsc_${index}`, effect, {
        ...more,
        trigger: isCoded ? 'code' : 'automatic',
        codes: isCoded ? codes.map((free, nth) => ({ code: `C${index}${nth}`, id: `cod_${index}${nth}`, free })) : [],
      }),
    ),
  );
const orders = fc.record({
  discounts,
  fees: feesOf('fee_order'),
  items: fc
    .array(
      fc.record({
        base: fc.oneof(fc.nat({ max: 50_000 }), fc.constant(0)),
        tax: taxes,
        fees: feesOf('fee_ticket'),
        tariffId: fc.constantFrom('trf_1', 'trf_2'),
      }),
      { minLength: 1, maxLength: 50 },
    )
    .map((all) => all.map(({ base, ...more }, index) => createItem(`lin_${index}`, base, more))),
});

const listCodes = (all: readonly Discount[]): string[] => all.flatMap(({ codes }) => codes.map(({ code }) => code));

describe('of any order', () => {
  test('base and components are the amount, net and tax the gross, lines and fees the total', () => {
    const property = fc.property(orders, ({ items, discounts: offered, fees }) => {
      const { lines, ...whole } = price(items, offered, { codes: listCodes(offered) }, fees);
      const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
      for (const [index, line] of lines.entries()) {
        expect(sum(line.components.map(({ amount }) => amount)) + (items[index]?.base ?? 0)).toBe(line.amount);
        expect(sum(line.taxes.map(({ gross }) => gross))).toBe(line.amount);
        expect(line.taxes.length).toBeGreaterThan(0);
        expect(line.amount).toBeGreaterThanOrEqual(0);
      }
      const parts = [...lines, ...whole.fees];
      const taxed = parts.flatMap((one) => one.taxes);
      for (const { net, tax, gross } of taxed) expect(net + tax).toBe(gross);
      const total = sum(parts.map(({ amount }) => amount));
      expect([whole.total, sum(whole.taxes.map(({ gross }) => gross))]).toEqual([total, total]);
      expect(whole.taxes).toEqual(addUp(taxed).filter(({ gross }) => gross !== 0));
    });
    fc.assert(property, { numRuns: 200 });
  });

  test('the order of the discounts changes nothing', () => {
    const property = fc.property(orders, fc.nat(), ({ items, discounts: offered }, seed) => {
      const codes = listCodes(offered);
      const turned = offered.toSorted(
        (one, other) => ((Number(one.id.slice(4)) * seed) % 7) - ((Number(other.id.slice(4)) * seed) % 7),
      );
      expect(price(items, turned, { codes })).toEqual(price(items, offered, { codes }));
    });
    fc.assert(property, { numRuns: 200 });
  });

  test('no line could have a cheaper discount, unless its uses are with lines that it lowers at least as much', () => {
    const property = fc.property(orders, ({ items, discounts: offered }) => {
      const buying = { ...visitor, codes: listCodes(offered) };
      const choices = chooseDiscounts(items, offered, buying);
      for (const discount of offered) {
        const held = choices.filter(({ grant }) => grant.terms.id === discount.id);
        const ofCodes = discount.codes.reduce((sum, { free }) => sum + (free ?? Infinity), 0);
        const limit = Math.min(
          ...[discount.free ?? Infinity, discount.usesPerOrder ?? Infinity],
          discount.trigger === 'code' ? ofCodes : Infinity,
        );
        expect(held.length).toBeLessThanOrEqual(limit);
        const fitting = items.filter(({ tariffId }) => discount.tariffIds?.includes(tariffId) ?? true);
        if (fitting.length < discount.minPlaces) continue;
        for (const item of fitting) {
          const could = computeLowering(discount.effect, item.base);
          const has = choices.find(({ lineId }) => lineId === item.id)?.lowering ?? 0;
          if (could <= has) continue;
          expect(held).toHaveLength(limit);
          expect(Math.min(...held.map(({ lowering }) => lowering), Infinity)).toBeGreaterThanOrEqual(could);
        }
      }
      const wanted = choices.flatMap((one) => one.wanted);
      for (const { free, id } of offered.flatMap((one) => [one, ...one.codes]))
        expect(wanted.filter((one) => one === id).length).toBeLessThanOrEqual(free ?? Infinity);
    });
    fc.assert(property, { numRuns: 200 });
  });

  test('priced again with what its lines have, it stays as it is', () => {
    const property = fc.property(orders, ({ items, discounts: offered, fees }) => {
      const codes = listCodes(offered);
      const first = price(items, offered, { codes }, fees);
      const uses = (wanted: readonly string[], id: string) => wanted.map((pool) => `${pool}:${id}`);
      const again = items.map((item, index) => {
        const line = first.lines[index];
        const grant = line?.grant ? { ...line.grant, uses: uses(line.wanted, item.id) } : null;
        return { ...item, grant };
      });
      const gone = offered.map((one): Discount => ({ ...one, state: 'paused' }));
      const second = price(again, gone, { codes }, fees);
      expect(amountsOf(second)).toEqual(amountsOf(first));
      expect(second.lines.flatMap(({ wanted }) => wanted)).toEqual([]);
      expect(second.lines.map(({ grant }) => grant?.uses)).toEqual(again.map(({ grant }) => grant?.uses));
    });
    fc.assert(property, { numRuns: 200 });
  });
});
