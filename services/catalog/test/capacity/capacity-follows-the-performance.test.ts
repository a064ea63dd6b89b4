import { expect, test } from '@jest/globals';
import { contextOf } from '../../src/context.ts';
import { planCapacity } from '../../src/domain/capacity.ts';
import { prepare, rollBack } from '../../src/performances/capacity.ts';
import {
  availabilityOf,
  describeOnEachEngine,
  hold,
  newShow,
  type Page,
  type Performance,
  placeIdsOf,
  type Show,
  stalls,
} from '../fixture/service.ts';

describeOnEachEngine('capacity', (catalog) => {
  const resize = ({ performance, categoryId }: Show, change: object) =>
    catalog.call<Performance>('PATCH', `/svc/v3/catalog/performances/${performance.id}`, {
      body: { seatCategories: [{ id: categoryId, ...change }] },
    });
  const labels = async ({ performance }: Show) => {
    const path = `/svc/v3/catalog/performances/${performance.id}/places?limit=500`;
    return (await catalog.call<Page<{ label: string }>>('GET', path)).data.items.map(({ label }) => label);
  };

  test('it grows, shrinks to the number of taken places and no further, and grows again', async () => {
    const show = await newShow(catalog, stalls(5));
    await hold(catalog, show, { quantity: 3 });
    expect((await resize(show, { capacity: 8 })).data.seatCategories[0]?.capacity).toBe(8);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 8, free: 5, held: 3, sold: 0 });
    expect((await resize(show, { capacity: 3 })).status).toBe(200);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 3, free: 0, held: 3, sold: 0 });
    expect((await hold(catalog, show)).outcome).toBe('refused');
    const below = await resize(show, { capacity: 2 });
    expect([below.status, below.body.status]).toEqual([409, 'performance_capacity_conflict']);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 3, free: 0, held: 3, sold: 0 });
    expect((await resize(show, { capacity: 12 })).status).toBe(200);
    expect(placeIdsOf(await hold(catalog, show, { quantity: 9 }))).toHaveLength(9);
    expect((await hold(catalog, show)).outcome).toBe('refused');
    expect(await labels(show)).toHaveLength(12);
  });

  test('a numbered category changes by rows: named rows are resized, new ones added, 0 seats remove one', async () => {
    const show = await newShow(catalog, stalls(5, [3, 2]));
    const grown = await resize(show, { rows: [{ row: 'C', seats: 2 }] });
    expect(grown.data.seatCategories[0]).toMatchObject({
      capacity: 7,
      rows: [{ row: 'A' }, { row: 'B' }, { row: 'C' }],
    });
    expect(await labels(show)).toEqual(['A-1', 'A-2', 'A-3', 'B-1', 'B-2', 'C-1', 'C-2']);
    await resize(show, {
      rows: [
        { row: 'A', seats: 1 },
        { row: 'B', seats: 0 },
      ],
    });
    expect(await labels(show)).toEqual(['A-1', 'C-1', 'C-2']);
    await resize(show, {
      rows: [
        { row: 'A', seats: 2 },
        { row: 'B', seats: 1 },
      ],
    });
    expect(await labels(show)).toEqual(['A-1', 'A-2', 'B-1', 'C-1', 'C-2']);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 5, free: 5, held: 0, sold: 0 });
  });

  test('a held seat cannot be removed although others are free', async () => {
    const show = await newShow(catalog, stalls(3, [3]));
    const path = `/svc/v3/catalog/performances/${show.performance.id}/places`;
    const last = (await catalog.call<Page<{ id: string }>>('GET', path)).data.items[2]?.id ?? '';
    await hold(catalog, show, { placeIds: [last] });
    expect((await resize(show, { rows: [{ row: 'A', seats: 2 }] })).body.status).toBe('performance_capacity_conflict');
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 3, free: 2, held: 1, sold: 0 });
  });

  test('contradictory requests are 422', async () => {
    const numbered = await newShow(catalog, stalls(3, [3]));
    expect((await resize(numbered, { capacity: 4 })).status).toBe(422);
    expect((await resize(numbered, { id: 'cat_unknown', capacity: 4 })).status).toBe(422);
    expect((await resize(numbered, { capacity: 9, rows: [{ row: 'B', seats: 1 }] })).status).toBe(422);
    expect((await resize(numbered, { capacity: 4, rows: [{ row: 'B', seats: 1 }] })).status).toBe(200);
    const anonymous = await newShow(catalog, stalls(3));
    expect((await resize(anonymous, { rows: [{ row: 'B', seats: 1 }] })).status).toBe(422);
  });

  test('concurrent changes and purchases leave as many places as the capacity', async () => {
    const show = await newShow(catalog, stalls(20));
    const sizes = [25, 15, 30, 10, 22];
    const [changes] = await Promise.all([
      Promise.all(sizes.map((capacity) => resize(show, { capacity }))),
      Promise.all(Array.from({ length: 12 }, () => hold(catalog, show))),
    ]);
    for (const { status } of changes) expect([200, 409]).toContain(status);
    const { capacity, free, held } = await availabilityOf(catalog, show);
    expect(sizes).toContain(capacity);
    expect(free + held).toBe(capacity);
    expect(await labels(show)).toHaveLength(capacity);
    const rest = await Promise.all(Array.from({ length: free + 3 }, () => hold(catalog, show)));
    expect(rest.filter(({ outcome }) => outcome === 'held')).toHaveLength(free);
  });

  test('a change of a dead process loses no place: its held places become free and the next change finishes', async () => {
    const show = await newShow(catalog, stalls(10));
    const { collections } = contextOf(catalog.store, catalog.institution);
    const before = await collections.performances.get(show.performance.id);
    if (!before) throw new Error('the performance is gone');
    // Prepared a minute ago and never decided.
    const now = Date.now() - 61_000;
    const until = now + 60_000;
    const requests = [{ id: show.categoryId, capacity: 4 }];
    await collections.performances.update(before.id, (current) => ({
      next: { ...current, capacityChange: { token: 'dead', until, settle: false } },
    }));
    const plans = planCapacity(before.seatCategories, requests);
    expect(await prepare(collections, before.id, plans, { token: 'dead', until, now })).toBe(true);
    expect((await availabilityOf(catalog, show)).free).toBe(10);
    expect((await resize(show, { capacity: 11 })).status).toBe(200);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 11, free: 11, held: 0, sold: 0 });
    expect(await collections.places.count({ performanceId: show.performance.id, holder: { ne: null } })).toBe(0);
  });

  test('places created by an abandoned change are not counted by a later one', async () => {
    const show = await newShow(catalog, stalls(6));
    await resize(show, { capacity: 4 });
    const { collections } = contextOf(catalog.store, catalog.institution);
    const before = await collections.performances.get(show.performance.id);
    if (!before) throw new Error('the performance is gone');
    const now = Date.now();
    const plans = planCapacity(before.seatCategories, [{ id: show.categoryId, capacity: 12 }]);
    await prepare(collections, before.id, plans, { token: 'vain', until: now + 60_000, now });
    await rollBack(collections, 'vain');
    for (const capacity of [9, 5, 11]) {
      expect((await resize(show, { capacity })).status).toBe(200);
      expect(await labels(show)).toHaveLength(capacity);
      expect(await availabilityOf(catalog, show)).toEqual({ capacity, free: capacity, held: 0, sold: 0 });
    }
  });

  test('a decided change is completed before the next sale', async () => {
    const show = await newShow(catalog, stalls(10));
    const { collections } = contextOf(catalog.store, catalog.institution);
    const before = await collections.performances.get(show.performance.id);
    if (!before) throw new Error('the performance is gone');
    const now = Date.now() - 59_990;
    const change = { token: 'decided', until: now + 60_000 };
    const plans = planCapacity(before.seatCategories, [{ id: show.categoryId, capacity: 4 }]);
    await prepare(collections, before.id, plans, { ...change, now });
    await collections.performances.update(before.id, (current) => ({
      next: {
        ...current,
        seatCategories: plans.map(({ category }) => category),
        capacityChange: { ...change, settle: true },
      },
    }));
    const buyers = await Promise.all(Array.from({ length: 10 }, () => hold(catalog, show)));
    expect(buyers.filter(({ outcome }) => outcome === 'held')).toHaveLength(4);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 4, free: 0, held: 4, sold: 0 });
  });
});
