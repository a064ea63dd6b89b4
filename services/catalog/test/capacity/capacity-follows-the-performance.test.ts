import { expect, test } from '@jest/globals';
import {
  createShow,
  createStalls,
  describeOnEachEngine,
  getHeldPlaceIds,
  hold,
  listPlaces,
  type Performance,
  readAvailability,
  type Show,
} from '../fixture/service.ts';

describeOnEachEngine('capacity', (catalog) => {
  const resize = ({ performance, categoryId }: Show, change: object) =>
    catalog.call<Performance>('PATCH', `/svc/v3/catalog/performances/${performance.id}`, {
      body: { seatCategories: [{ id: categoryId, ...change }] },
    });
  const labels = async (show: Show) => (await listPlaces(catalog, show)).map(({ label }) => label);

  test('it grows, shrinks to the number of taken places and no further, and grows again', async () => {
    const show = await createShow(catalog, createStalls(5));
    await hold(catalog, show, { quantity: 3 });
    expect((await resize(show, { capacity: 8 })).data.seatCategories[0]?.capacity).toBe(8);
    expect(await readAvailability(catalog, show)).toEqual({ capacity: 8, free: 5, held: 3, sold: 0 });
    expect((await resize(show, { capacity: 3 })).status).toBe(200);
    expect(await readAvailability(catalog, show)).toEqual({ capacity: 3, free: 0, held: 3, sold: 0 });
    expect((await hold(catalog, show)).outcome).toBe('refused');
    const below = await resize(show, { capacity: 2 });
    expect([below.status, below.body.status]).toEqual([409, 'performance_capacity_conflict']);
    expect(await readAvailability(catalog, show)).toEqual({ capacity: 3, free: 0, held: 3, sold: 0 });
    expect((await resize(show, { capacity: 12 })).status).toBe(200);
    expect(getHeldPlaceIds(await hold(catalog, show, { quantity: 9 }))).toHaveLength(9);
    expect((await hold(catalog, show)).outcome).toBe('refused');
    expect(await labels(show)).toHaveLength(12);
  });

  test('a numbered category changes by rows: named rows are resized, new ones added, 0 seats remove one', async () => {
    const show = await createShow(catalog, createStalls(5, [3, 2]));
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
    expect(await readAvailability(catalog, show)).toEqual({ capacity: 5, free: 5, held: 0, sold: 0 });
  });

  test('a held seat cannot be removed although others are free', async () => {
    const show = await createShow(catalog, createStalls(3, [3]));
    const last = (await listPlaces(catalog, show))[2]?.id ?? '';
    await hold(catalog, show, { placeIds: [last] });
    expect((await resize(show, { rows: [{ row: 'A', seats: 2 }] })).body.status).toBe('performance_capacity_conflict');
    expect(await readAvailability(catalog, show)).toEqual({ capacity: 3, free: 2, held: 1, sold: 0 });
  });

  test('contradictory requests are 422', async () => {
    const numbered = await createShow(catalog, createStalls(3, [3]));
    expect((await resize(numbered, { capacity: 4 })).status).toBe(422);
    expect((await resize(numbered, { id: 'cat_unknown', capacity: 4 })).status).toBe(422);
    expect((await resize(numbered, { capacity: 9, rows: [{ row: 'B', seats: 1 }] })).status).toBe(422);
    expect((await resize(numbered, { capacity: 4, rows: [{ row: 'B', seats: 1 }] })).status).toBe(200);
    const anonymous = await createShow(catalog, createStalls(3));
    expect((await resize(anonymous, { rows: [{ row: 'B', seats: 1 }] })).status).toBe(422);
  });
});
