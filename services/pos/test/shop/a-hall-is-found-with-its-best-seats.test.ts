import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHallOfBlocks, createOperaHouse, importShopModule, type SeatMap } from './fixture.ts';

const { bestSeats, hallOf, numberOf, pointsOf } = await importShopModule('hall/hall.js');

type Seat = Readonly<Record<'id' | 'areaId' | 'row' | 'number', string>> & { readonly free: boolean };
type Named = { readonly name: string };

const category = (id: string, numbered = true) => ({ id, name: id, numbered, free: 5, prices: [{ amount: 100 }] });
const all = ['first', 'second', 'third', 'boxes', 'wheelchair'].map((id) => category(id));

describe('a hall is found in a seat map', () => {
  test('areas have their rows in the order of their names, and rows their seats', () => {
    const hall = hallOf(createOperaHouse(), all);
    expect([hall.seats.length, hall.areas.length, hall.categories.length]).toEqual([1964, 16, 5]);
    const [parterre] = hall.areas;
    expect(parterre.rows.map(({ name }: Named) => name).join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWX');
    expect(parterre.rows[2].seats.slice(8, 11).map(({ number }: Seat) => number)).toEqual(['9', '10', '11']);
    expect(hall.pitch).toBeGreaterThan(9);
    expect(hall.pitch).toBeLessThan(11);
  });

  test('a seat is found at its place, none between the areas', () => {
    const hall = hallOf(createOperaHouse(), all);
    for (const seat of hall.seats) expect(hall.seatAt({ x: seat.x + 2, y: seat.y - 2 })).toBe(seat);
    expect(hall.seatAt({ x: 0, y: -20 })).toBeUndefined();
    expect(hall.areaAt({ x: 230, y: 62 }).name).toBe('Box 1 right');
    expect(hall.areaAt({ x: 0, y: 60 }).name).toBe('Parterre');
  });

  test('what this visitor cannot buy is taken, and belongs to no category of the legend', () => {
    const hall = hallOf(createOperaHouse(), all.slice(0, 1));
    const free = hall.seats.filter((seat: Seat) => seat.free);
    expect(new Set(free.map(({ areaId }: Seat) => areaId))).toEqual(new Set(['parterre']));
    expect(hall.categories.map(({ id }: Seat) => id)).toEqual(['first']);
  });

  test('an area without seats is shown, and the hall contains stage, outlines and seats', () => {
    const map = createHallOfBlocks([{ id: 'a', name: 'A', category: 'first', x: 0, y: 0, rows: ['A'], seats: 4 }]);
    map.areas.push({ id: 'pit', name: 'Pit', seatCategoryId: 'second', outline: 'M-90 100h180v50H-90z' });
    const hall = hallOf(map, [category('first'), category('second', false)]);
    expect(hall.areas[1]).toMatchObject({
      name: 'Pit',
      rows: [],
      box: { left: -90, top: 100, right: 90, bottom: 150 },
    });
    expect(hall.box.top).toBeLessThan(-25);
    expect(hall.box.bottom).toBeGreaterThan(150);
    expect(hall.categories.length).toBe(2);
  });

  test.each([
    ['M10 20L30,40', [10, 20, 30, 40]],
    ['M10 20l5-5 5 5H0v-3z', [10, 20, 15, 15, 20, 20, 0, 20, 0, 17]],
    ['m1 1c0 0 1 1 2 2A5 5 0 0 1 9 9q1 1 .5.5', [1, 1, 3, 3, 9, 9, 9.5, 9.5]],
  ])('the points of the path %s', (path, numbers) => {
    expect(pointsOf(path).flatMap(({ x, y }: { x: number; y: number }) => [x, y])).toEqual(numbers);
  });

  test('the number of a seat is its label without the row', () => {
    const labels = [
      ['A', 'A-14'],
      ['1', '1-12'],
      ['A', 'Box 3'],
      ['A', 'A'],
    ];
    expect(labels.map(([row, label]) => numberOf({ row, label }))).toEqual(['14', '12', 'Box 3', 'A']);
  });
});

const categories = ['first', 'second', 'third', 'boxes'].map((id) => ({ id, prices: [] }));
const one = (rows: readonly string[], seats: number, isFree?: (index: number) => boolean): SeatMap =>
  createHallOfBlocks([{ id: 'a', name: 'A', category: 'first', x: 0, y: 10, rows, seats }], isFree);

const best = (map: SeatMap, count: number, options = {}) => {
  const { seats, together } = bestSeats(hallOf(map, categories), count, options);
  return { ids: seats.map(({ id }: Seat) => id).toSorted(), together };
};

describe('the best seats are side by side', () => {
  test('in the middle of the first row of an empty hall', () => {
    expect(best(one(['A', 'B', 'C'], 6), 2)).toEqual({ ids: ['a-A-3', 'a-A-4'], together: true });
  });

  test('in the middle of a curved row, whose ends are closer to the stage, and in the first before the second', () => {
    const block = { id: 'a', name: 'A', category: 'first', x: 0, y: 200, rows: ['A', 'B'], seats: 14, bend: 60 };
    expect(best(createHallOfBlocks([block]), 2).ids).toEqual(['a-A-7', 'a-A-8']);
    expect(best(createHallOfBlocks([{ ...block, rows: ['R'], seats: 4 }]), 2).ids).not.toContain('a-R-4');
    const holed = createHallOfBlocks([block], (index) => index < 5 || index > 8);
    expect(best(holed, 2).ids).toEqual(['a-B-7', 'a-B-8']);
  });

  test('of the category that is asked for', () => {
    const { ids } = best(createOperaHouse(), 3, { categoryId: 'second' });
    expect(ids.every((id: string) => id.startsWith('balcony1-A-'))).toBe(true);
  });

  test('no single seat is left alone where another choice is nearly as good', () => {
    // Five free seats in the middle: 3 of them at an end leave two together.
    const five = one(['A'], 9, (index) => index >= 2 && index <= 5);
    expect(best(five, 3).ids.length).toBe(3);
    const two = best(one(['A'], 4), 2);
    expect(two.ids).not.toEqual(['a-A-2', 'a-A-3']);
  });

  test('without so many neighbours those closest together, and it is said', () => {
    const chess = one(['A', 'B', 'C', 'D'], 8, (index) => (index + Math.floor(index / 8)) % 2 === 0);
    const { ids, together } = best(chess, 3);
    expect([ids.length, together]).toEqual([3, false]);
    expect(best(one(['A'], 2), 3)).toEqual({ ids: [], together: false });
  });

  test('an aisle parts neighbours', () => {
    const map = one(['A'], 6);
    for (const number of [4, 5, 6]) {
      const seat = map.seats[`a-A-${number}`];
      if (seat) map.seats[`a-A-${number}`] = { ...seat, x: seat.x + 20 };
    }
    expect(best(map, 4).together).toBe(false);
    expect(best(map, 3).together).toBe(true);
  });

  test('of any hall: so many free ones, each once, of the category; neighbours if there are any', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 2, max: 7 }),
      fc.nat(),
      (count, of, seed) => {
        const map = createOperaHouse((index) => (index * 7919 + seed) % of === 0);
        const { seats, together } = bestSeats(hallOf(map, categories), count);
        expect(new Set(seats).size).toBe(count);
        for (const { id } of seats) expect(map.seats[id]?.free).toBe(true);
        if (!together) return;
        const numbers = seats.map(({ number }: Seat) => Number(number)).toSorted((a: number, b: number) => a - b);
        expect(numbers.at(-1) - numbers[0]).toBe(count - 1);
        expect(new Set(seats.map(({ areaId, row }: Seat) => `${areaId} ${row}`)).size).toBe(1);
      },
    );
    fc.assert(property, { numRuns: 10 });
  });
});
