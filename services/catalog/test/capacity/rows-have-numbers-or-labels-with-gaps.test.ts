import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { drawSeatMap } from '../../src/domain/seat-map.ts';
import {
  buildPerformanceBody,
  buildProductBody,
  createShow,
  createStalls,
  createTariff,
  describeOnEachEngine,
  getHeldPlaceIds,
  hold,
  listPlaces,
  type Performance,
  readAvailability,
  type Show,
} from '../fixture/service.ts';

type Seats = number | (string | null)[];

const category = (...rows: readonly Seats[]) => ({
  ...createStalls(
    rows.flatMap((seats) => (typeof seats === 'number' ? Array(seats).fill('') : seats.filter((one) => one !== null)))
      .length,
  ),
  numbered: true,
  rows: rows.map((seats, index) => ({ row: 'ABC'.charAt(index), seats })),
});

const odd: Seats = ['101', '103', null, '105', '107', '109'];

describeOnEachEngine('rows of seats', (catalog) => {
  const labelsOf = async (show: Show) => (await listPlaces(catalog, show)).map(({ label }) => label);
  const change = ({ performance, categoryId }: Show, rows: readonly { row: string; seats: Seats }[]) =>
    catalog.call<Performance>('PATCH', `/svc/v3/catalog/performances/${performance.id}`, {
      body: { seatCategories: [{ id: categoryId, rows }] },
    });

  test('are a number, or labels in order with gaps, which have no place', async () => {
    const show = await createShow(catalog, category(odd, 2, ['12A', ' 01 ', null, '7']));
    const labels = 'A-101 A-103 A-105 A-107 A-109 B-1 B-2 C-12A C-01 C-7';
    expect(await labelsOf(show)).toEqual(labels.split(' '));
    const seats = (await listPlaces(catalog, show)).map(({ row, seat }) => [row, seat]);
    expect(seats.slice(0, 2)).toEqual([
      ['A', 101],
      ['A', 103],
    ]);
    // What is no usual number is in the label alone.
    expect(seats.slice(-3)).toEqual([
      ['C', undefined],
      ['C', undefined],
      ['C', 7],
    ]);
    expect(await readAvailability(catalog, show)).toMatchObject({ capacity: 10, free: 10 });
    const path = `/svc/v3/catalog/performances/${show.performance.id}`;
    const { data } = await catalog.call<Performance>('GET', path);
    expect(data.seatCategories[0]?.rows).toEqual([
      { row: 'A', seats: odd },
      { row: 'B', seats: 2 },
      { row: 'C', seats: ['12A', '01', null, '7'] },
    ]);
  });

  test('best seats are side by side, never across a gap', async () => {
    const show = await createShow(catalog, category(['101', '103', null, '105', '107', '109']));
    const labels = ({ lines }: Awaited<ReturnType<typeof hold>>) => lines.map(({ place }) => place.label);
    expect(labels(await hold(catalog, show, { quantity: 3 }))).toEqual(['A-105', 'A-107', 'A-109']);
    const apart = await createShow(catalog, category(['1', '2', null, '3', '4'], 3));
    expect(labels(await hold(catalog, apart, { quantity: 3 }))).toEqual(['B-1', 'B-2', 'B-3']);
    // A hold of named places may span it.
    expect(getHeldPlaceIds(await hold(catalog, show, { quantity: 2 }))).toHaveLength(2);
  });

  test('a plan leaves the gap as wide as a seat', async () => {
    const { performance } = await createShow(catalog, category(['1', null, '3']));
    const { seatCategories } =
      (await createContext(catalog.store, catalog.institution).collections.performances.get(performance.id)) ?? {};
    const { seats } = drawSeatMap({ id: performance.id, seatCategories: seatCategories ?? [] });
    const [first, last] = Object.values(seats);
    expect([Object.keys(seats).length, first?.label, last?.label]).toEqual([2, 'A-1', 'A-3']);
    expect(Number(last?.x) - Number(first?.x)).toBe(20);
  });

  test('grow, shrink and get gaps; a seat keeps its label, and comes back with another only after its removal', async () => {
    const show = await createShow(catalog, category(3));
    expect((await change(show, [{ row: 'A', seats: ['1', '2', '3', null, '4'] }])).status).toBe(200);
    expect(await labelsOf(show)).toEqual(['A-1', 'A-2', 'A-3', 'A-4']);
    const renamed = await change(show, [{ row: 'A', seats: ['1', '2', '33', null, '4'] }]);
    expect([renamed.status, renamed.body.status]).toEqual([422, 'validation_error']);
    expect(renamed.body.details).toContain('$.seatCategories[0].rows[0].seats: the seat 3 cannot become 33');
    expect((await change(show, [{ row: 'A', seats: ['1', '2', null, null, '4'] }])).status).toBe(200);
    expect((await change(show, [{ row: 'A', seats: ['1', '2', '33', null, '4'] }])).status).toBe(200);
    expect(await labelsOf(show)).toEqual(['A-1', 'A-2', 'A-33', 'A-4']);
    expect(await readAvailability(catalog, show)).toMatchObject({ capacity: 4, free: 4 });
    const taken = getHeldPlaceIds(await hold(catalog, show, { quantity: 4 }));
    expect(taken).toHaveLength(4);
    const conflict = await change(show, [{ row: 'A', seats: ['1', '2'] }]);
    expect([conflict.status, conflict.body.status]).toEqual([409, 'performance_capacity_conflict']);
  });

  test('are refused with a label twice, without a seat, with another capacity, or with too many labels', async () => {
    const tariff = await createTariff(catalog);
    const make = async (seats: unknown, capacity = 2) => {
      const own = { ...createStalls(capacity), numbered: true, rows: [{ row: 'A', seats }] };
      const body = buildProductBody({ performances: [buildPerformanceBody(tariff.id, [own as never])] });
      const { status, body: answer } = await catalog.call('POST', '/svc/v3/catalog/products', { body });
      return [status, answer.status];
    };
    for (const [seats, capacity] of [
      [['1', ' 1 '], 2],
      [[null, null], 0],
      [['1', null], 2],
    ] as const)
      expect(await make(seats, capacity)).toEqual([422, 'validation_error']);
    const many = Array.from({ length: 201 }, (_, index) => String(index));
    for (const seats of [many, ['1', ' '], ['1', 'x'.repeat(21)], []])
      expect(await make(seats, seats.length)).toEqual([400, 'validation_error']);
    for (const seats of ['2', [1, 2], { 1: '2' }, null]) expect(await make(seats)).toEqual([400, 'bad_request']);
    expect((await make(many.slice(1), 200))[0]).toBe(201);
  });
});
