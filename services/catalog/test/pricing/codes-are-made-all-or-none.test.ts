// rule commerce.4: a code that the institution has: 409 `discount_duplicate_code`, none made | services/catalog/src/pricing/batches.ts

import { expect, test } from '@jest/globals';
import { openCollections } from '../../src/store.ts';
import { doDueWork } from '../fixture/crashes.ts';
import { act, createCode, describeOnEachEngine, type Page } from '../fixture/service.ts';
import { claimUses, createDiscount, DISCOUNTS, type Discount, makeCodes } from './discounts.ts';

interface Code {
  readonly code: string;
  readonly batchId: string;
  readonly [member: string]: unknown;
}

describeOnEachEngine('codes', (catalog) => {
  const open = async () => (await createDiscount(catalog, { trigger: 'code' })).data;
  const list = async ({ id }: Discount, query = '') =>
    (await catalog.call<Page<Code>>('GET', `${DISCOUNTS}/${id}/codes?limit=500${query}`)).data.items;
  const withdraw = ({ id }: Discount, body: object) =>
    catalog.call<{ withdrawn: number }>('POST', `${DISCOUNTS}/${id}/codes/withdrawal`, { body });
  const random = () => `C-${createCode()}`;

  test('are named, or made of random characters', async () => {
    const discount = await open();
    const [one, two] = [random(), random()];
    const named = await makeCodes(catalog, discount, { codes: [{ code: one }, { code: two, maxUses: 3 }] });
    expect([named.status, named.data]).toEqual([201, { batchId: expect.any(String), count: 2 }]);
    const made = await makeCodes(catalog, discount, { count: 3, prefix: 'NEW-' });
    const { batchId } = named.data;
    const shown = { batchId, held: 0, used: 0, state: 'active', createdAt: expect.any(String) };
    const own = await list(discount, `&batchId=${batchId}`);
    expect(own.toSorted((left, right) => Number(left.maxUses) - Number(right.maxUses))).toEqual([
      { ...shown, code: one, maxUses: null },
      { ...shown, code: two, maxUses: 3 },
    ]);
    const random3 = await list(discount, `&batchId=${made.data.batchId}`);
    expect(random3.map(({ maxUses }) => maxUses)).toEqual([1, 1, 1]);
    for (const { code } of random3) expect(code).toMatch(/^NEW-[0-9A-HJKMNP-TV-Z]{12}$/);
    expect(await list(discount)).toHaveLength(5);
  });

  test.each([
    ...[{}, { codes: [] }, { codes: [{ code: 'abc' }] }, { codes: [{ code: 'with space' }] }],
    ...[
      { codes: [{ code: 'GOOD' }], count: 1 },
      { codes: [{ code: 'GOOD' }], maxUses: 1 },
    ],
    ...[{ count: 1_001 }, { count: 0 }, { count: 1, maxUses: 0 }, { count: 1_000, maxUses: 101 }],
  ])('%j is refused', async (body) => {
    expect((await makeCodes(catalog, await open(), body)).status).toBe(400);
  });

  test('are unique in the institution without case; of a request with a taken one none is made', async () => {
    const [discount, other] = [await open(), await open()];
    const taken = random();
    await makeCodes(catalog, other, { codes: [{ code: taken.toLowerCase() }] });
    const codes = [...Array.from({ length: 5 }, random), taken.toUpperCase()].map((code) => ({ code, maxUses: 1 }));
    const twice = [codes[0], { code: codes[0]?.code.toLowerCase() }];
    for (const wrong of [codes, twice]) {
      const refused = await makeCodes(catalog, discount, { codes: wrong });
      expect([refused.status, refused.body.status]).toEqual([409, 'discount_duplicate_code']);
    }
    expect(await list(discount)).toEqual([]);
    expect((await makeCodes(catalog, discount, { codes: codes.slice(0, 5) })).status).toBe(201);
    // Another institution has codes of its own.
    const on = await catalog.ofAnotherInstitution();
    const { data } = await createDiscount(on, { trigger: 'code' });
    expect((await makeCodes(on, data, { codes })).status).toBe(201);
  });

  test('are made once per key, however often and at once they are asked for', async () => {
    const discount = await open();
    for (const body of [{ count: 20 }, { codes: [{ code: random(), maxUses: 2 }, { code: random() }] }]) {
      const before = (await list(discount)).length;
      const keyed = { headers: { 'Idempotency-Key': createCode() } };
      const all = await Promise.all([1, 2, 3].map(() => makeCodes(catalog, discount, body, keyed)));
      const last = await makeCodes(catalog, discount, body, keyed);
      const done = [...all, last].filter(({ status }) => status === 201);
      expect(new Set(done.map(({ data }) => data.batchId)).size).toBe(1);
      expect(last.status).toBe(201);
      expect((await list(discount)).length).toBe(before + last.data.count);
    }
  });

  test('are shown once all exist, also when the process has died meanwhile', async () => {
    const discount = await open();
    const { discountCodes, priceRules } = openCollections(catalog.store, catalog.institution);
    const [one, lost] = ['dying', 'lost'].map((batchId) => ({ batchId, code: random(), id: `cod_${createCode()}` }));
    for (const made of [one, lost])
      await discountCodes.insert({
        ...{ id: '', batchId: '', code: '', ...made, discountId: discount.id, maxUses: null },
        ...{ state: 'active', createdAt: null, makingSince: new Date().toISOString() },
      });
    expect(await list(discount)).toEqual([]);
    await priceRules.update(discount.id, (current) => ({
      next: { ...current, batches: [{ batchId: 'dying', createdAt: '2031-01-01T00:00:00.000Z' }] },
      due: { showCodes: Date.now() },
    }));
    await doDueWork(catalog.store);
    expect((await list(discount)).map(({ code }) => code)).toEqual([one?.code]);
    expect((await priceRules.get(discount.id))?.batches).toEqual([]);
  });

  test('have held and used uses, and keep them when they are withdrawn', async () => {
    const discount = await open();
    const [batched, single] = [random(), random()];
    const { data } = await makeCodes(catalog, discount, { codes: [{ code: batched, maxUses: 2 }] });
    await makeCodes(catalog, discount, { codes: [{ code: single, maxUses: 1 }] });
    const { discountCodes } = openCollections(catalog.store, catalog.institution);
    const [document] = await discountCodes.find({ where: { discountId: discount.id, batchId: data.batchId } });
    const claim = await claimUses(catalog, { [document?.id ?? '']: 2 });
    expect((await claimUses(catalog, { [document?.id ?? '']: 1 })).outcome).toBe('refused');
    await act(catalog, claim.holder, 'sale', { placeIds: claim.ids.slice(0, 1) });
    expect((await withdraw(discount, { batchId: data.batchId })).data).toEqual({ withdrawn: 1 });
    expect((await withdraw(discount, { batchId: data.batchId })).data).toEqual({ withdrawn: 0 });
    expect(await list(discount, '&state=withdrawn')).toMatchObject([{ code: batched, held: 1, used: 1 }]);
    expect((await withdraw(discount, { code: single.toLowerCase() })).data).toEqual({ withdrawn: 1 });
    expect(await list(discount, '&state=active')).toEqual([]);
    for (const wrong of [{}, { batchId: data.batchId, code: single }])
      expect((await withdraw(discount, wrong)).status).toBe(400);
  });

  test('are of discounts with the trigger code alone, and need their own scopes', async () => {
    const automatic = (await createDiscount(catalog)).data;
    expect((await makeCodes(catalog, automatic, { count: 1 })).status).toBe(422);
    expect((await makeCodes(catalog, { id: 'dsc_none' }, { count: 1 })).status).toBe(404);
    expect((await catalog.call('GET', `${DISCOUNTS}/dsc_none/codes`)).status).toBe(404);
  });
});
