import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { act, availabilityOf, hold, newShow, placeIdsOf, stalls } from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

interface Renewed {
  readonly outcome: string;
  readonly places: { readonly id: string; readonly replaces: string | null }[];
  readonly missing: string[];
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const ahead = (minutes: number) => ago(-minutes);

describe.each(engines)(`the end of holds on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

  test('an expired hold is shown and taken as free, and then lost to its holder', async () => {
    const show = await newShow(catalog, stalls(2));
    const late = await hold(catalog, show, { quantity: 2, heldUntil: ago(1) });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 2, free: 2, held: 0, sold: 0 });
    const quick = await hold(catalog, show, { quantity: 2 });
    expect(placeIdsOf(quick).sort()).toEqual(placeIdsOf(late).sort());
    const placeIds = placeIdsOf(late);
    expect(await act(catalog, late.holder, 'sale', { placeIds })).toMatchObject({ outcome: 'refused' });
    expect(await act(catalog, late.holder, 'release', {})).toEqual({ released: [] });
    expect((await availabilityOf(catalog, show)).held).toBe(2);
  });

  test('an extension prolongs a hold, also an expired one whose places are still free', async () => {
    const show = await newShow(catalog, stalls(2));
    const held = await hold(catalog, show, { quantity: 2, heldUntil: ago(1) });
    const extended = await act(catalog, held.holder, 'extension', { heldUntil: ahead(5) });
    expect(extended).toMatchObject({ outcome: 'done', missing: [] });
    expect((await availabilityOf(catalog, show)).held).toBe(2);
  });

  test('an extension changes nothing if one of the places is lost', async () => {
    const show = await newShow(catalog, stalls(3));
    const held = await hold(catalog, show, { quantity: 2, heldUntil: ago(1) });
    const [lost = '', kept = ''] = placeIdsOf(held);
    await hold(catalog, show, { placeIds: [lost] });
    const extended = await act(catalog, held.holder, 'extension', { heldUntil: ahead(5), placeIds: [lost, kept] });
    expect(extended).toMatchObject({ outcome: 'refused', missing: [lost] });
    expect((await availabilityOf(catalog, show)).held).toBe(1);
  });

  test('a late payment holds the same places again, or equivalent ones, and a repeat returns the same', async () => {
    const show = await newShow(catalog, stalls(4));
    const held = await hold(catalog, show, { quantity: 2, heldUntil: ago(1) });
    const placeIds = placeIdsOf(held);
    const [lost = ''] = placeIds;
    await hold(catalog, show, { placeIds: [lost] });
    const requested = { requestId: 'late', heldUntil: ahead(5), placeIds };
    const renewed = await act<Renewed>(catalog, held.holder, 'renewal', requested);
    expect(renewed.outcome).toBe('done');
    expect(renewed.places.map(({ replaces }) => replaces)).toEqual([lost, null]);
    expect(await act<Renewed>(catalog, held.holder, 'renewal', requested)).toEqual(renewed);
    expect((await availabilityOf(catalog, show)).held).toBe(3);
    const ids = renewed.places.map(({ id }) => id);
    expect(await act(catalog, held.holder, 'sale', { placeIds: ids })).toMatchObject({ outcome: 'done' });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 4, free: 1, held: 1, sold: 2 });
  });

  test('a numbered seat that another buyer took cannot be held again, and then no place is', async () => {
    const show = await newShow(catalog, stalls(4, [4]));
    const held = await hold(catalog, show, { quantity: 2, heldUntil: ago(1) });
    const [lost = '', other = ''] = placeIdsOf(held);
    await hold(catalog, show, { placeIds: [lost] });
    const requested = { requestId: 'late', heldUntil: ahead(5), placeIds: [lost, other] };
    const renewed = await act<Renewed>(catalog, held.holder, 'renewal', requested);
    expect(renewed).toEqual({ outcome: 'refused', places: [], missing: [lost] });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 4, free: 3, held: 1, sold: 0 });
  });

  test('expired holds are taken like free places', async () => {
    const show = await newShow(catalog, stalls(60));
    await hold(catalog, show, { quantity: 50, heldUntil: ago(2), holder: `ord_${randomUUID()}` });
    const all = await Promise.all(Array.from({ length: 20 }, () => hold(catalog, show, { quantity: 3 })));
    expect(all.filter(({ outcome }) => outcome === 'held')).toHaveLength(20);
    expect(new Set(all.flatMap(placeIdsOf)).size).toBe(60);
  });
});
