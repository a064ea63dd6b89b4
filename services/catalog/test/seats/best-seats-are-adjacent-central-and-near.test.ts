import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bestBlock, type FreeSeat, fewestGroups } from '../../src/domain/best-seats.ts';
import { orderOf } from '../../src/domain/place.ts';

const seat = (row: number, number: number): FreeSeat => ({
  id: `${'ABCDEFGH'[row]}${number}`,
  order: orderOf({ category: 0, row, seat: number }),
  seat: number,
});
const rows = (...numbers: readonly (readonly number[])[]): FreeSeat[] =>
  numbers.flatMap((each, row) => each.map((number) => seat(row, number)));
const span = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const ten = () => 10;

describe('best seats', () => {
  test('the middle of the first row comes first', () => {
    expect(bestBlock(rows(span(10), span(10)), 2, ten)).toEqual(['A5', 'A6']);
  });

  test('the middle further back comes before the edge of the front', () => {
    expect(bestBlock(rows([1, 2], span(10)), 2, () => 40)?.[0]).toBe('A1');
    expect(bestBlock(rows([1, 2, 30, 31]), 2, () => 60)).toEqual(['A30', 'A31']);
  });

  test('side by side in a later row comes before apart in front', () => {
    expect(bestBlock(rows([2, 4, 6, 8], [3, 4, 5]), 3, ten)).toEqual(['B3', 'B4', 'B5']);
  });

  test('no single seat is left over if another block avoids it', () => {
    expect(bestBlock(rows([4, 5, 6, 7, 8]), 2, ten)).not.toEqual(['A5', 'A6']);
    expect(bestBlock(rows([4, 5, 6]), 2, ten)).toEqual(['A5', 'A6']);
  });

  test('no block spans a gap; seats are scattered only without a block, in as few groups as possible', () => {
    const free = rows([1, 2, 5], [1, 2, 3]);
    expect(bestBlock(free, 4, ten)).toBeUndefined();
    expect(fewestGroups(free, 4)).toEqual(['B1', 'B2', 'B3', 'A1']);
    expect(fewestGroups(free, 7)).toBeUndefined();
  });

  test('a higher rank gives another good block, never none', () => {
    const free = rows(span(10));
    expect(bestBlock(free, 2, ten, 1)).not.toEqual(bestBlock(free, 2, ten, 0));
    expect(bestBlock(free, 2, ten, 1_000)).toHaveLength(2);
  });

  test('a block always has free neighbouring seats and the requested size', () => {
    const hall = fc.uniqueArray(fc.record({ row: fc.nat({ max: 3 }), number: fc.integer({ min: 1, max: 12 }) }), {
      selector: ({ row, number }) => `${row}-${number}`,
    });
    fc.assert(
      fc.property(hall, fc.integer({ min: 1, max: 6 }), fc.nat({ max: 5 }), (spots, count, rank) => {
        const free = spots.map(({ row, number }) => seat(row, number));
        const known = new Map(free.map((each) => [each.id, each.order]));
        const orders = bestBlock(free, count, () => 12, rank)?.map((id) => known.get(id) ?? -1);
        if (orders) {
          expect(orders).toHaveLength(count);
          expect(orders).toEqual(orders.map((_, index) => (orders[0] ?? 0) + index));
        }
        const groups = fewestGroups(free, count);
        expect(groups?.length ?? 'too few').toBe(free.length >= count ? count : 'too few');
        expect(new Set(groups).size).toBe(groups?.length ?? 0);
      }),
    );
  });
});
