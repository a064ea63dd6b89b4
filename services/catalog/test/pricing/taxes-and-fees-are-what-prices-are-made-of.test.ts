// rule commerce.4: Taxes, fees and discounts: POST, GET, GET by id, PATCH, no DELETE | services/catalog/src/pricing/rules.ts
// rule commerce.4: `rate` and `percent` are decimal strings, "0" to "100", at most 4 decimals | services/catalog/src/domain/pricing.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { addPointOfSale, type Page, startCatalog } from '../fixture/service.ts';
import { createRule, type Rule } from './discounts.ts';

const BASE = '/svc/v3/catalog';

describe('taxes and fees', () => {
  const catalog = useFixture(() => startCatalog());

  const create = (path: string, body: object) => createRule(catalog, path, body);
  const change = (path: string, { id }: Rule, body: object, headers = {}) =>
    catalog.call<Rule>('PATCH', `${BASE}/${path}/${id}`, { body, headers });

  test('are made, read, listed and changed, and never deleted', async () => {
    const made = await create('taxes', { rate: '7.70' });
    const { data: tax } = made;
    expect([made.status, made.headers.get('location')]).toEqual([201, `${BASE}/taxes/${tax.id}`]);
    expect(tax).toMatchObject({ id: expect.stringMatching(/^tax_/), rate: '7.7' });
    const { data: fee } = await create('fees', { per: 'ticket', amount: 200, taxId: tax.id });
    expect(fee).toEqual({
      ...{ id: expect.stringMatching(/^fee_/), code: fee.code, name: { en: 'Some' }, per: 'ticket', amount: 200 },
      ...{ percent: null, roundTo: null, currency: 'CHF', taxId: tax.id, channels: null, state: 'active' },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
    for (const [path, one] of Object.entries({ taxes: tax, fees: fee })) {
      expect((await catalog.call('GET', `${BASE}/${path}/${one.id}`)).data).toEqual(one);
      const { data: page } = await catalog.call<Page<Rule>>('GET', `${BASE}/${path}`);
      expect(page).toEqual({ items: [one], nextCursor: null, asOf: expect.any(String) });
      expect((await catalog.call('DELETE', `${BASE}/${path}/${one.id}`, { operation: 'none' })).status).toBe(405);
      const same = await change(path, one, one);
      expect([same.status, same.data]).toEqual([200, one]);
      const changed = await change(path, one, { name: { fr: 'Un' } }, { 'If-Match': same.headers.get('etag') });
      expect(changed.data.name).toEqual({ en: 'Some', fr: 'Un' });
      expect((await change(path, one, {}, { 'If-Match': same.headers.get('etag') })).status).toBe(412);
    }
    // What one kind has is nothing of another.
    expect((await catalog.call('GET', `${BASE}/fees/${tax.id}`)).status).toBe(404);
  });

  test.each([
    ['0', '0'],
    ['0.0', '0'],
    ['10', '10'],
    ['5.5000', '5.5'],
    ['0.0001', '0.0001'],
    ['100.0000', '100'],
  ])('the rate %s is answered as %s', async (given, shown) => {
    expect((await create('taxes', { rate: given })).data.rate).toBe(shown);
  });

  test.each([['-1'], ['100.1'], ['1.00001'], ['07'], ['.5'], ['5.'], ['5,5'], [''], [7.7], [null]])(
    'the rate %s is refused',
    async (rate) => {
      expect((await create('taxes', { rate })).status).toBe(400);
    },
  );

  test('a fee is an amount, or on tickets a percentage, in the currency of the institution', async () => {
    const { data: fee } = await create('fees', { per: 'ticket', percent: '2.50', roundTo: 5 });
    expect(fee).toMatchObject({ amount: null, percent: '2.5', roundTo: 5 });
    const fixed = { amount: 100, percent: null };
    expect((await change('fees', fee, fixed)).data).toMatchObject({ ...fixed, roundTo: null });
    for (const wrong of [{}, { amount: 1, percent: '1' }, { amount: -1 }, { amount: 1.5 }, { amount: 1, roundTo: 5 }])
      expect((await create('fees', { per: 'ticket', ...wrong })).status).toBe(400);
    expect((await create('fees', { per: 'order', percent: '1' })).status).toBe(400);
    for (const wrong of [{ percent: '1' }, { roundTo: 5 }]) expect((await change('fees', fee, wrong)).status).toBe(400);
    const others = [{ currency: 'EUR' }, { taxId: fee.id }, { taxId: 'tax_nowhere' }];
    for (const other of [...others, { channels: { pointsOfSale: ['nowhere.example'] } }]) {
      expect((await create('fees', { per: 'order', amount: 1, ...other })).status).toBe(422);
      expect((await change('fees', fee, other)).status).toBe(422);
    }
    expect((await create('fees', { per: 'order', amount: 1, currency: 'CHF' })).status).toBe(201);
  });

  test('channels are known points of sale and any clients; none named is none', async () => {
    const host = await addPointOfSale(catalog);
    const named = { pointsOfSale: [host.toUpperCase(), host], clientIds: ['cli_anywhere'] };
    const { data: fee } = await create('fees', { per: 'order', amount: 1, channels: named });
    expect(fee.channels).toEqual({ pointsOfSale: [host], clientIds: ['cli_anywhere'] });
    expect((await change('fees', fee, { channels: { clientIds: [] } })).data.channels).toEqual({
      ...{ pointsOfSale: [host], clientIds: [] },
    });
    expect((await change('fees', fee, { channels: { pointsOfSale: [] } })).data.channels).toBeNull();
  });

  test.each(['taxes', 'fees'] as const)('a code of %s is unique among them', async (path) => {
    const body = { rate: '1', per: 'order', amount: 1, code: 'ONCE' };
    const { rate, ...fee } = body;
    const own = path === 'taxes' ? { rate, code: 'ONCE' } : fee;
    const all = await Promise.all(Array.from({ length: 4 }, () => create(path, own)));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const refused = all.find(({ status }) => status === 409);
    expect(refused?.body.status).toBe(path === 'taxes' ? 'tax_duplicate_code' : 'fee_duplicate_code');
    const { data: other } = await create(path, { ...own, code: 'TWICE' });
    expect((await change(path, other, { code: 'ONCE' })).status).toBe(409);
  });

  test('a client with bounds reads taxes, and the fees that admit it without the channels of others', async () => {
    const [own, other] = [await addPointOfSale(catalog), await addPointOfSale(catalog)];
    const { data: tax } = await create('taxes', { rate: '1' });
    const of = async (channels: object | null) =>
      (await create('fees', { per: 'order', amount: 1, channels })).data as Rule;
    const [free, mine, byName, foreign] = [
      await of(null),
      await of({ pointsOfSale: [own, other], clientIds: ['cli_other'] }),
      await of({ clientIds: ['cli_mine', 'cli_other'] }),
      await of({ pointsOfSale: [other], clientIds: ['cli_other'] }),
    ];
    const seller = { client: 'cli_mine', bounds: { ownOrders: true, pointsOfSale: [own] } };
    const read = <Data = Rule>(path: string) => catalog.call<Data>('GET', `${BASE}${path}`, seller);
    expect((await read(`/taxes/${tax.id}`)).data).toEqual(tax);
    expect((await read(`/fees/${free.id}`)).data).toEqual(free);
    expect((await read(`/fees/${foreign.id}`)).status).toBe(404);
    const seen = [
      { ...mine, channels: { pointsOfSale: [own], clientIds: [] } },
      { ...byName, channels: { pointsOfSale: [], clientIds: ['cli_mine'] } },
    ];
    for (const one of seen) expect((await read(`/fees/${one.id}`)).data).toEqual(one);
    const { data: page } = await read<Page<Rule>>('/fees?limit=500');
    const feed = await read<{ readonly fees: Rule[] }>('');
    const whole = await catalog.call('GET', BASE);
    for (const items of [page.items, feed.data.fees]) {
      expect(items.filter(({ id }) => [mine.id, byName.id].includes(id))).toEqual(seen);
      expect(JSON.stringify(items)).not.toMatch(new RegExp(`${other}|cli_other|${foreign.id}`));
    }
    expect(feed.headers.get('etag')).not.toBe(whole.headers.get('etag'));
    // Without points of sale among its bounds it sells for all of them.
    const any = { client: 'cli_mine', bounds: { ownOrders: true, pointsOfSale: [] } };
    expect((await catalog.call('GET', `${BASE}/fees/${foreign.id}`, any)).data).toEqual({
      ...foreign,
      channels: { pointsOfSale: [other], clientIds: [] },
    });
  });
});
