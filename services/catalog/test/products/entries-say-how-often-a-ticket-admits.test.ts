import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { applyProductChange, buildProduct, getEntries } from '../../src/domain/product.ts';
import { createProduct, createShow, createStalls, hold, type Product, startCatalog } from '../fixture/service.ts';

describe('how often a ticket admits', () => {
  const catalog = useFixture(() => startCatalog());
  const path = (id: string) => `/svc/v3/catalog/products/${id}`;
  type WithEntries = Product & { readonly entries: string | null };
  const patch = (id: string, body: object) => catalog.call<WithEntries>('PATCH', path(id), { body });

  test('is `once` by default of what is no show, and can be changed', async () => {
    const { data } = await createProduct(catalog, { type: 'pass' });
    const entries = async (body: object) => (await patch(data.id, body)).data.entries;
    expect((data as WithEntries).entries).toBe('once');
    expect(await entries({ entries: 'daily' })).toBe('daily');
    expect(await entries({ name: { en: 'Pass' } })).toBe('daily');
    expect((await catalog.call<WithEntries>('GET', path(data.id))).data.entries).toBe('daily');
    expect(await entries({ entries: 'unlimited' })).toBe('unlimited');
    expect(await entries({ entries: null })).toBe('once');
    expect((await patch(data.id, { entries: 'weekly' })).status).toBe(400);
  });

  test('is no choice of a show', async () => {
    const { data } = await createProduct(catalog, {});
    expect((data as WithEntries).entries).toBeNull();
    const refused = await patch(data.id, { entries: 'daily' });
    expect([refused.status, refused.body.status]).toEqual([422, 'validation_error']);
    expect((await patch(data.id, { entries: null })).data).toEqual(data);
  });

  test('goes with what is sold from then on', async () => {
    const pass = await createShow(catalog, createStalls(4), {}, 'pass');
    const sold = async () => (await hold(catalog, pass, { quantity: 1 })).lines[0]?.about as { entries?: string };
    expect((await sold()).entries).toBeUndefined();
    await patch(pass.product.id, { entries: 'daily' });
    expect((await sold()).entries).toBe('daily');
  });

  test('is `once` of a product that an earlier release has stored, which writing that back does not change', () => {
    const details = { code: 'P', type: 'pass', name: {}, description: null, startDate: null, endDate: null } as const;
    const { entries: _, ...old } = buildProduct(details, 'running', '2026-01-01T00:00:00.000Z');
    expect(getEntries(old)).toBe('once');
    expect(
      applyProductChange(old, { ...details, entries: 'once' }, 'running', '2026-02-01T00:00:00.000Z'),
    ).toBeUndefined();
  });
});
