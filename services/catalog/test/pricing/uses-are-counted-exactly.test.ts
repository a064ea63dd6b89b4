// rule commerce.4: `held + used + free = limit` at any instant anyone can observe | services/catalog/src/pricing/uses.ts

import { expect, test } from '@jest/globals';
import { reactTo } from '../../src/reactions.ts';
import { openCollections } from '../../src/store.ts';
import { doDueWork } from '../fixture/crashes.ts';
import { act, addMinutesToNow, createCode, describeOnEachEngine } from '../fixture/service.ts';
import { createFact } from '../releases/facts.ts';
import { changeDiscount, claimUses, createDiscount, DISCOUNTS, makeCodes, readDiscount } from './discounts.ts';

describeOnEachEngine('uses of a discount', (catalog) => {
  const limit = async (uses: number, more: object = {}) =>
    (await createDiscount(catalog, { limits: { uses }, ...more })).data;
  const usage = async (discount: { readonly id: string }) => (await readDiscount(catalog, discount)).usage;

  test('are given to exactly as many as there are, whoever claims at once', async () => {
    const discount = await limit(100);
    const claims: Awaited<ReturnType<typeof claimUses>>[] = [];
    const buy = async (): Promise<void> => {
      for (let turn = 0; turn < 25; turn += 1) claims.push(await claimUses(catalog, { [discount.id]: 1 }));
    };
    // A thousand claims, of forty at once: more would test how many connections a listener takes.
    await Promise.all(Array.from({ length: 40 }, buy));
    const held = claims.filter(({ outcome }) => outcome === 'held');
    expect(held).toHaveLength(100);
    expect(new Set(held.flatMap(({ ids }) => ids)).size).toBe(100);
    for (const { outcome, short } of claims) expect(short?.pool ?? null).toBe(outcome === 'held' ? null : discount.id);
    expect(await usage(discount)).toEqual({ held: 100, used: 0, free: 0 });
  }, 120_000);

  test('are held all or none, over several pools, and a repeat holds the same', async () => {
    const [one, two] = [await limit(5), await limit(1)];
    const both = { [one.id]: 2, [two.id]: 1 };
    const first = await claimUses(catalog, both);
    expect(Object.fromEntries(first.uses.map(({ pool, ids }) => [pool, ids.length]))).toEqual(both);
    const again = await claimUses(catalog, both, { holder: first.holder });
    expect(again.uses).toEqual(first.uses);
    const refused = { outcome: 'refused', short: { pool: two.id, free: 0 }, uses: [] };
    expect(await claimUses(catalog, both)).toMatchObject(refused);
    expect(await usage(one)).toEqual({ held: 2, used: 0, free: 3 });
  });

  test('of codes without a limit are counted, too, as what their discount has', async () => {
    const { data: discount } = await createDiscount(catalog, { trigger: 'code' });
    await makeCodes(catalog, discount, { codes: [{ code: createCode() }, { code: createCode(), maxUses: 5 }] });
    const path = `/svc/v3/catalog/discounts/${discount.id}/codes`;
    const list = async () => {
      const { data } = await catalog.call<{ items: Record<string, unknown>[] }>('GET', path);
      return data.items.map(({ maxUses, held, used }) => ({ maxUses, held, used }));
    };
    const { discountCodes } = openCollections(catalog.store, catalog.institution);
    const made = await discountCodes.find({ where: { discountId: discount.id } });
    const idOf = (maxUses: number | null) => made.find((one) => one.maxUses === maxUses)?.id ?? '';
    const [free, few] = [idOf(null), idOf(5)];
    const first = await claimUses(catalog, { [free]: 3, [few]: 1 });
    expect((await claimUses(catalog, { [free]: 3, [few]: 1 }, { holder: first.holder })).uses).toEqual(first.uses);
    const refused = await claimUses(catalog, { [free]: 1, [few]: 5 });
    expect(refused.short).toEqual({ pool: few, free: 4 });
    expect(await usage(discount)).toEqual({ held: 4, used: 0, free: null });
    const [one = '', ...others] = first.uses.find(({ pool }) => pool === free)?.ids ?? [];
    await act(catalog, first.holder, 'sale', { placeIds: [one] });
    await act(catalog, first.holder, 'release', { placeIds: others.slice(0, 1) });
    expect(await list()).toEqual(
      expect.arrayContaining([
        { maxUses: null, held: 1, used: 1 },
        { maxUses: 5, held: 1, used: 0 },
      ]),
    );
    expect(await usage(discount)).toEqual({ held: 2, used: 1, free: null });
  });

  test('are free for the request that has claimed them before, not for others', async () => {
    const { pool, holder, requestId } = { pool: (await limit(1)).id, holder: 'ord_first', requestId: 'one' };
    await claimUses(catalog, { [pool]: 1 }, { holder, requestId });
    const read = async (request?: object) => {
      type Answered = { pricing: { discounts: { id: string; free: number }[] } };
      const { data } = await catalog.call<Answered>('POST', '/internal/pricing', { body: { request } });
      return data.pricing.discounts.find(({ id }) => id === pool)?.free;
    };
    expect(await read({ holder, requestId })).toBe(1);
    for (const other of [undefined, { holder, requestId: 'two' }, { holder: 'ord_other', requestId }])
      expect(await read(other)).toBe(0);
    expect(await claimUses(catalog, { [pool]: 2 }, { holder, requestId })).toMatchObject({ short: { pool, free: 1 } });
  });

  test('are sold, extended and released like places, and free again when a hold ends', async () => {
    const discount = await limit(3);
    const pool = { [discount.id]: 1 };
    const lapsed = await claimUses(catalog, pool, { heldUntil: addMinutesToNow(-1) });
    expect(await usage(discount)).toEqual({ held: 0, used: 0, free: 3 });
    const [sold, kept] = [await claimUses(catalog, pool), await claimUses(catalog, pool)];
    const third = await claimUses(catalog, pool);
    expect(third.ids).toEqual(lapsed.ids);
    expect((await act(catalog, sold.holder, 'sale', { placeIds: sold.ids })).outcome).toBe('done');
    expect((await act(catalog, kept.holder, 'extension', { heldUntil: addMinutesToNow(9) })).outcome).toBe('done');
    expect(await usage(discount)).toEqual({ held: 2, used: 1, free: 0 });
    // Who comes too late finds them gone, as places; others of the pool are as good.
    const late = { requestId: 'late', heldUntil: addMinutesToNow(5), placeIds: lapsed.ids, asOf: 2 };
    expect((await act(catalog, lapsed.holder, 'renewal', late)).outcome).toBe('refused');
    await act(catalog, kept.holder, 'release', {});
    expect(await act(catalog, lapsed.holder, 'renewal', late)).toMatchObject({
      ...{ outcome: 'done', places: [{ id: kept.ids[0], replaces: lapsed.ids[0] }] },
    });
    const { data } = await catalog.call('GET', `/internal/stock/holds/${sold.holder}`);
    expect(data).toEqual({ places: [] });
    expect(await usage(discount)).toEqual({ held: 2, used: 1, free: 0 });
  });

  test('change the tag of the discount that shows them, but no condition of a change', async () => {
    const discount = await limit(3);
    const path = `${DISCOUNTS}/${discount.id}`;
    const read = (headers = {}) => catalog.call('GET', path, { headers });
    const tag = (await read()).headers.get('etag') ?? '';
    expect((await read({ 'If-None-Match': tag })).status).toBe(304);
    await claimUses(catalog, { [discount.id]: 1 });
    const seen = await read({ 'If-None-Match': tag });
    expect(seen).toMatchObject({ status: 200, data: { usage: { held: 1, used: 0, free: 2 } } });
    const later = seen.headers.get('etag') ?? '';
    await claimUses(catalog, { [discount.id]: 1 });
    const change = (etag: string, minPlaces: number) =>
      changeDiscount(catalog, discount, { minPlaces }, { headers: { 'If-Match': etag } });
    expect((await change(later, 2)).status).toBe(200);
    for (const old of [later, tag]) expect((await change(old, 3)).status).toBe(412);
  });

  test('of a cancelled order are free again, also where places stay with controlled tickets', async () => {
    const discount = await limit(2);
    const claims = [await claimUses(catalog, { [discount.id]: 1 }), await claimUses(catalog, { [discount.id]: 1 })];
    for (const { holder, ids } of claims) await act(catalog, holder, 'sale', { placeIds: ids });
    const facts = [
      // An unsold order names also those of removed lines.
      { type: 'order.cancelled' as const, data: { hadTickets: false, placeIds: ['plc_1', ...(claims[0]?.ids ?? [])] } },
      { type: 'tickets.cancelled' as const, data: { placeIds: [], keptPlaceIds: ['plc_controlled'] } },
    ];
    const { institution, store } = catalog;
    for (const [index, { type, data }] of facts.entries()) {
      const orderId = claims[index]?.holder ?? '';
      await reactTo(store)(createFact(institution, type, { orderId, ...data }), 1);
    }
    expect(await usage(discount)).toEqual({ held: 0, used: 0, free: 2 });
    const { releases } = openCollections(store, institution);
    const released = await releases.get(`${claims[0]?.holder}:order.cancelled`);
    expect([released?.placeIds, released?.placesReleased]).toEqual([['plc_1'], 1]);
  });

  test('always sum up to the limit, also while it changes and others claim and release', async () => {
    const discount = await limit(20);
    let isOver = false;
    const buy = async (): Promise<void> => {
      while (!isOver) {
        const { holder, outcome } = await claimUses(catalog, { [discount.id]: 2 });
        if (outcome === 'held') await act(catalog, holder, 'release', {});
      }
    };
    const wrong: unknown[] = [];
    const look = async (): Promise<void> => {
      while (!isOver) {
        const { limits, usage } = await readDiscount(catalog, discount);
        const { held, used, free } = usage;
        if (held + used + Number(free) !== limits?.uses || Math.min(held, used, Number(free)) < 0) wrong.push(usage);
      }
    };
    const others = [buy(), buy(), buy(), look(), look()];
    for (const uses of [30, 10, 25, 6, 40, 12]) {
      const { status, data } = await changeDiscount(catalog, discount, { limits: { uses } });
      expect([200, 409]).toContain(status);
      if (status === 200) expect(data.limits?.uses).toBe(uses);
    }
    isOver = true;
    await Promise.all(others);
    expect(wrong).toEqual([]);
    const { limits } = await readDiscount(catalog, discount);
    const uses = Number(limits?.uses);
    expect((await claimUses(catalog, { [discount.id]: uses })).outcome).toBe('held');
    expect((await claimUses(catalog, { [discount.id]: 1 })).outcome).toBe('refused');
  }, 120_000);

  test('a limit does not fall below what is held and used', async () => {
    const discount = await limit(5);
    const claim = await claimUses(catalog, { [discount.id]: 3 });
    await act(catalog, claim.holder, 'sale', { placeIds: claim.ids.slice(0, 1) });
    const refused = await changeDiscount(catalog, discount, { limits: { uses: 2 }, state: 'paused' });
    expect([refused.status, refused.body.status]).toEqual([409, 'discount_limit_conflict']);
    const { data, headers } = await changeDiscount(catalog, discount, { limits: { uses: 3 } });
    expect([data.state, data.usage]).toEqual(['active', { held: 2, used: 1, free: 0 }]);
    const match = { headers: { 'If-Match': headers.get('etag') ?? '' } };
    const raised = await changeDiscount(catalog, discount, { limits: { uses: 4 } }, match);
    expect([raised.status, raised.data.usage]).toEqual([200, { held: 2, used: 1, free: 1 }]);
    expect((await createDiscount(catalog, { limits: { uses: 100_001 } })).status).toBe(400);
  });

  test('a change of the limit that a dead process has written is completed by others', async () => {
    const discount = await limit(4);
    const { places, priceRules } = openCollections(catalog.store, catalog.institution);
    const where = { performanceId: discount.id };
    const freeFrom = Date.now() + 60_000;
    const free = { ...where, freeFrom: 0 };
    await places.claim({ where: free, set: { state: 'held', freeFrom, holder: 'capacity:close:dead' }, limit: 3 });
    await priceRules.update(discount.id, (current) => ({
      next: {
        ...current,
        rule: { ...current.rule, limits: { uses: 1, usesPerOrder: null } } as typeof current.rule,
        ...{ pool: { capacity: 1, made: 4 }, limitClaim: 'dead' },
      },
      due: { applyLimit: Date.now() },
    }));
    await doDueWork(catalog.store);
    expect(await usage(discount)).toEqual({ held: 0, used: 0, free: 1 });
    expect(await places.count({ ...where, state: 'withdrawn' })).toBe(3);
    const claims = await Promise.all([1, 2].map(() => claimUses(catalog, { [discount.id]: 1 })));
    expect(claims.map(({ outcome }) => outcome).sort()).toEqual(['held', 'refused']);
  });
});
