import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type FreeSeat, findBestBlock, findFewestGroups } from '../../src/domain/best-seats.ts';
import { computePlaceOrder, derivePlaceId } from '../../src/domain/place.ts';
import { buildSeatCategories, type CategoryInput } from '../../src/domain/seat-category.ts';
import { type Area, computeRowPoints, type DrawnSeat, drawSeatMap, type SeatMap } from '../../src/domain/seat-map.ts';

const seat = (row: number, number: number): FreeSeat => ({
  id: `${'ABCDEFGH'[row]}${number}`,
  order: computePlaceOrder({ category: 0, row, seat: number }),
});
const rows = (...numbers: readonly (readonly number[])[]): FreeSeat[] =>
  numbers.flatMap((each, row) => each.map((number) => seat(row, number)));
const span = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const ten = () => 10;

describe('best seats', () => {
  test('the middle of the first row comes first', () => {
    expect(findBestBlock(rows(span(10), span(10)), 2, ten)).toEqual(['A5', 'A6']);
  });

  test('the middle further back comes before the edge of the front', () => {
    expect(findBestBlock(rows([1, 2], span(10)), 2, () => 40)?.[0]).toBe('A1');
    expect(findBestBlock(rows([1, 2, 30, 31]), 2, () => 60)).toEqual(['A30', 'A31']);
  });

  test('side by side in a later row comes before apart in front', () => {
    expect(findBestBlock(rows([2, 4, 6, 8], [3, 4, 5]), 3, ten)).toEqual(['B3', 'B4', 'B5']);
  });

  test('no single seat is left over if another block avoids it', () => {
    expect(findBestBlock(rows([4, 5, 6, 7, 8]), 2, ten)).not.toEqual(['A5', 'A6']);
    expect(findBestBlock(rows([4, 5, 6]), 2, ten)).toEqual(['A5', 'A6']);
  });

  test('no block spans a gap; seats are scattered only without a block, in as few groups as possible', () => {
    const free = rows([1, 2, 5], [1, 2, 3]);
    expect(findBestBlock(free, 4, ten)).toBeUndefined();
    expect(findFewestGroups(free, 4)).toEqual(['B1', 'B2', 'B3', 'A1']);
    expect(findFewestGroups(free, 7)).toBeUndefined();
  });

  test('a higher rank gives another good block, never none', () => {
    const free = rows(span(10));
    expect(findBestBlock(free, 2, ten, 1)).not.toEqual(findBestBlock(free, 2, ten, 0));
    expect(findBestBlock(free, 2, ten, 1_000)).toHaveLength(2);
  });

  test('a block always has free neighbouring seats and the requested size', () => {
    const hall = fc.uniqueArray(fc.record({ row: fc.nat({ max: 3 }), number: fc.integer({ min: 1, max: 12 }) }), {
      selector: ({ row, number }) => `${row}-${number}`,
    });
    fc.assert(
      fc.property(hall, fc.integer({ min: 1, max: 6 }), fc.nat({ max: 5 }), (spots, count, rank) => {
        const free = spots.map(({ row, number }) => seat(row, number));
        const known = new Map(free.map((each) => [each.id, each.order]));
        const orders = findBestBlock(free, count, () => 12, rank)?.map((id) => known.get(id) ?? -1);
        if (orders) {
          expect(orders).toHaveLength(count);
          expect(orders).toEqual(orders.map((_, index) => (orders[0] ?? 0) + index));
        }
        const groups = findFewestGroups(free, count);
        expect(groups?.length ?? 'too few').toBe(free.length >= count ? count : 'too few');
        expect(new Set(groups).size).toBe(groups?.length ?? 0);
      }),
    );
  });
});

const id = 'prf_1';

const rowsOf = (sizes: Readonly<Record<string, number>>) =>
  Object.entries(sizes).map(([row, seats]) => ({ row, seats }));

const numbered = (code: string, sizes: Readonly<Record<string, number>>): CategoryInput => {
  const rows = rowsOf(sizes);
  return { code, name: { en: code }, numbered: true, capacity: rows.reduce((sum, { seats }) => sum + seats, 0), rows };
};
const standing = (code: string): CategoryInput => ({ code, name: { en: code }, numbered: false, capacity: 40 });

const area = (more: Partial<Area> & Pick<Area, 'id' | 'seatCategory'>): Area => ({
  name: { en: more.id },
  outline: 'M0 0H100V50H0Z',
  rows: [],
  ...more,
});

const line = (row: string, y: number) => ({ row, from: { x: 10, y }, to: { x: 90, y } });

const draw = (categories: readonly CategoryInput[], areas?: readonly Area[]) => {
  const seatMap: SeatMap | null = areas ? { stage: { x: 0, y: 0, width: 100 }, areas } : null;
  return drawSeatMap({ id, seatCategories: buildSeatCategories(id, categories), seatMap });
};

const seatIn = (seats: Readonly<Record<string, DrawnSeat>>, category: number, row: number, number: number) =>
  seats[derivePlaceId(id, { category, row, seat: number })];

describe('along a row', () => {
  const straight = { from: { x: 0, y: 10 }, to: { x: 30, y: 10 } };

  test('the first seat is at from, the last at to, a single one in the middle', () => {
    expect(computeRowPoints(straight, 4).map(({ x }) => x)).toEqual([0, 10, 20, 30]);
    expect(computeRowPoints(straight, 1)).toEqual([{ x: 15, y: 10 }]);
    expect(computeRowPoints(straight, 0)).toEqual([]);
    expect(computeRowPoints({ from: straight.to, to: straight.from }, 2)).toEqual([straight.to, straight.from]);
  });

  test('a curve bows the middle to the right of its way: down for a row that goes right, up for one that goes left', () => {
    expect(computeRowPoints({ ...straight, curve: 6 }, 3)).toEqual([straight.from, { x: 15, y: 16 }, straight.to]);
    expect(computeRowPoints({ ...straight, curve: -6 }, 3)[1]).toEqual({ x: 15, y: 4 });
    expect(computeRowPoints({ from: straight.to, to: straight.from, curve: 6 }, 3)[1]).toEqual({ x: 15, y: 4 });
    expect(computeRowPoints({ from: { x: 0, y: 0 }, to: { x: 0, y: 30 }, curve: 6 }, 3)[1]).toEqual({ x: -6, y: 15 });
  });

  test('the arc is quadratic, and its seats have equal distances', () => {
    const coordinate = fc.integer({ min: -500, max: 500 });
    const point = fc.record({ x: coordinate, y: coordinate });
    fc.assert(
      fc.property(point, point, fc.integer({ min: -100, max: 100 }), fc.integer({ min: 3, max: 60 }), (...given) => {
        const [from, to, curve, count] = given;
        fc.pre(Math.hypot(to.x - from.x, to.y - from.y) > 200);
        const points = computeRowPoints({ from, to, curve }, count);
        expect(points).toHaveLength(count);
        expect([points[0], points.at(-1)]).toEqual([from, to]);
        const length = Math.hypot(to.x - from.x, to.y - from.y);
        for (const { x, y } of points) {
          const t = ((x - from.x) * (to.x - from.x) + (y - from.y) * (to.y - from.y)) / length ** 2;
          const bow = ((y - from.y) * (to.x - from.x) - (x - from.x) * (to.y - from.y)) / length;
          expect(Math.abs(bow - 4 * curve * t * (1 - t))).toBeLessThan(0.1);
        }
        if (count < 30) return;
        const gaps = points
          .slice(1)
          .map(({ x, y }, index) => Math.hypot(x - (points[index]?.x ?? 0), y - (points[index]?.y ?? 0)));
        expect(Math.max(...gaps) / Math.min(...gaps)).toBeLessThan(1.05);
      }),
    );
  });

  test('from and to may be the same point', () => {
    expect(computeRowPoints({ from: straight.from, to: straight.from, curve: 5 }, 2)).toEqual([
      straight.from,
      straight.from,
    ]);
  });
});

describe('a plan', () => {
  test('places each seat by the id of its place, in its area', () => {
    const { stage, areas, seats } = draw(
      [numbered('STALLS', { A: 3, B: 2 }), standing('PIT')],
      [
        area({ id: 'left', seatCategory: 'STALLS', rows: [line('A', 10)] }),
        area({ id: 'right', seatCategory: 'STALLS', rows: [line('B', 20)] }),
        area({ id: 'pit', seatCategory: 'PIT' }),
      ],
    );
    expect(stage).toEqual({ x: 0, y: 0, width: 100 });
    expect(areas.map(({ id: name, seatCategoryId }) => [name, seatCategoryId])).toEqual([
      ['left', 'cat_1_0'],
      ['right', 'cat_1_0'],
      ['pit', 'cat_1_1'],
    ]);
    expect(Object.keys(seats)).toHaveLength(5);
    expect(seatIn(seats, 0, 0, 2)).toEqual({ areaId: 'left', row: 'A', label: 'A-2', x: 50, y: 10 });
    expect(seatIn(seats, 0, 1, 2)).toEqual({ areaId: 'right', row: 'B', label: 'B-2', x: 90, y: 20 });
  });

  test('draws rows and categories that it leaves out below everything, clear of it and of each other', () => {
    const { areas, seats } = draw(
      [numbered('STALLS', { A: 9, B: 4 }), standing('PIT'), numbered('BOX', { Z: 2 })],
      [area({ id: 'left', seatCategory: 'STALLS', outline: 'M0 0H100V80H0Z', rows: [line('A', 10)] })],
    );
    expect(areas.map(({ id: name }) => name)).toEqual(['left', 'cat_1_0', 'cat_1_1', 'cat_1_2']);
    expect(seatIn(seats, 0, 1, 1)).toMatchObject({ areaId: 'cat_1_0', row: 'B' });
    const tops = areas.slice(1).map(({ outline }) => Number(/^M\S+ (\S+?)H/.exec(outline)?.[1]));
    const bottoms = areas.slice(1).map(({ outline }) => Number(/V(\S+?)H/.exec(outline)?.[1]));
    expect(tops[0]).toBeGreaterThan(80);
    expect(tops[1]).toBeGreaterThan(bottoms[0] ?? 0);
    expect(tops[2]).toBeGreaterThan(bottoms[1] ?? 0);
    // At the distance of the seats that the plan places.
    expect((seatIn(seats, 0, 1, 2)?.x ?? 0) - (seatIn(seats, 0, 1, 1)?.x ?? 0)).toBe(10);
  });
});

describe('without a plan', () => {
  test('each category is a block, the first nearest to the stage, with its rows behind each other and centred', () => {
    const { stage, areas, seats } = draw([numbered('STALLS', { A: 4, B: 2 }), standing('PIT')]);
    expect(areas.map(({ id: name, seatCategoryId }) => [name, seatCategoryId])).toEqual([
      ['cat_1_0', 'cat_1_0'],
      ['cat_1_1', 'cat_1_1'],
    ]);
    const [a1, a4, b1, b2] = [
      seatIn(seats, 0, 0, 1),
      seatIn(seats, 0, 0, 4),
      seatIn(seats, 0, 1, 1),
      seatIn(seats, 0, 1, 2),
    ];
    expect([a1?.label, b2?.label]).toEqual(['A-1', 'B-2']);
    expect((a1?.x ?? 0) + (a4?.x ?? 0)).toBe((b1?.x ?? 0) + (b2?.x ?? 0));
    expect(a1?.y).toBeGreaterThan(stage.y);
    expect(b1?.y).toBeGreaterThan(a1?.y ?? 0);
    expect(Object.keys(seats)).toHaveLength(6);
  });

  test('no two seats of any hall are at the same point', () => {
    const sizes = fc.dictionary(fc.stringMatching(/^[A-Z]{1,2}$/), fc.integer({ min: 0, max: 30 }), { maxKeys: 12 });
    fc.assert(
      fc.property(fc.array(sizes, { minLength: 1, maxLength: 4 }), fc.boolean(), (halls, planned) => {
        const categories = halls.map((hall, index) => numbered(`C${index}`, hall));
        const areas = planned
          ? [
              area({
                id: 'first',
                seatCategory: 'C0',
                rows: (categories[0]?.rows ?? []).slice(0, 3).map(({ row }, at) => line(row, at)),
              }),
            ]
          : undefined;
        const { seats } = draw(categories, areas);
        const all = Object.values(seats);
        expect(all).toHaveLength(categories.reduce((sum, { capacity }) => sum + capacity, 0));
        expect(new Set(all.map(({ x, y }) => `${x} ${y}`)).size).toBe(all.length);
      }),
    );
  });
});
