import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hallOfBlocks, operaHouse, type SeatMap } from './halls.ts';
import { shopModule } from './shop-module.ts';

const { bestSeats, hallOf } = await shopModule('hall/hall.js');

const categories = ['first', 'second', 'third', 'boxes'].map((id) => ({ id, prices: [] }));
const one = (rows: readonly string[], seats: number, isFree?: (index: number) => boolean): SeatMap =>
  hallOfBlocks([{ id: 'a', name: 'A', category: 'first', x: 0, y: 10, rows, seats }], isFree);

const best = (map: SeatMap, count: number, options = {}) => {
  const { seats, together } = bestSeats(hallOf(map, categories), count, options);
  return { ids: seats.map(({ id }: { id: string }) => id).toSorted(), together };
};

describe('the best seats are side by side', () => {
  test('in the middle of the first row of an empty hall', () => {
    expect(best(one(['A', 'B', 'C'], 6), 2)).toEqual({ ids: ['a-A-3', 'a-A-4'], together: true });
  });

  test('in the middle of a curved row, whose ends are closer to the stage, and in the first before the second', () => {
    const block = { id: 'a', name: 'A', category: 'first', x: 0, y: 200, rows: ['A', 'B'], seats: 14, bend: 60 };
    expect(best(hallOfBlocks([block]), 2).ids).toEqual(['a-A-7', 'a-A-8']);
    expect(best(hallOfBlocks([{ ...block, rows: ['R'], seats: 4 }]), 2).ids).not.toContain('a-R-4');
    expect(
      best(
        hallOfBlocks([block], (index) => index < 5 || index > 8),
        2,
      ).ids,
    ).toEqual(['a-B-7', 'a-B-8']);
  });

  test('of the category that is asked for', () => {
    const { ids } = best(operaHouse(), 3, { categoryId: 'second' });
    expect(ids.every((id: string) => id.startsWith('balcony1-A-'))).toBe(true);
  });

  test('no single seat is left alone where another choice is nearly as good', () => {
    // Five free seats in the middle: 3 of them at an end leave two together.
    const { ids } = best(
      one(['A'], 9, (index) => index >= 2 && index <= 5),
      3,
    );
    expect(ids.length).toBe(3);
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
        const map = operaHouse((index) => (index * 7919 + seed) % of === 0);
        const { seats, together } = bestSeats(hallOf(map, categories), count);
        expect(new Set(seats).size).toBe(count);
        for (const { id } of seats) expect(map.seats[id]?.free).toBe(true);
        if (!together) return;
        const numbers = seats
          .map(({ number }: { number: string }) => Number(number))
          .toSorted((a: number, b: number) => a - b);
        expect(numbers.at(-1) - numbers[0]).toBe(count - 1);
        expect(new Set(seats.map(({ areaId, row }: { areaId: string; row: string }) => `${areaId} ${row}`)).size).toBe(
          1,
        );
      },
    );
    fc.assert(property, { numRuns: 10 });
  });
});
