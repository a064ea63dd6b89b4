import { describe, expect, test } from '@jest/globals';
import { hallOfBlocks, operaHouse } from './halls.ts';
import { shopModule } from './shop-module.ts';

const { hallOf, numberOf, pointsOf } = await shopModule('hall/hall.js');

const category = (id: string, numbered = true) => ({ id, name: id, numbered, free: 5, prices: [{ amount: 100 }] });
const all = ['first', 'second', 'third', 'boxes', 'wheelchair'].map((id) => category(id));

describe('a hall is found in a seat map', () => {
  test('areas have their rows in the order of their names, and rows their seats', () => {
    const hall = hallOf(operaHouse(), all);
    expect([hall.seats.length, hall.areas.length, hall.categories.length]).toEqual([1964, 16, 5]);
    const [parterre] = hall.areas;
    expect(parterre.rows.map(({ name }: { name: string }) => name).join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWX');
    expect(parterre.rows[2].seats.slice(8, 11).map(({ number }: { number: string }) => number)).toEqual([
      '9',
      '10',
      '11',
    ]);
    expect(hall.pitch).toBeGreaterThan(9);
    expect(hall.pitch).toBeLessThan(11);
  });

  test('a seat is found at its place, none between the areas', () => {
    const hall = hallOf(operaHouse(), all);
    for (const seat of hall.seats) expect(hall.seatAt({ x: seat.x + 2, y: seat.y - 2 })).toBe(seat);
    expect(hall.seatAt({ x: 0, y: -20 })).toBeUndefined();
    expect(hall.areaAt({ x: 230, y: 62 }).name).toBe('Box 1 right');
    expect(hall.areaAt({ x: 0, y: 60 }).name).toBe('Parterre');
  });

  test('what this visitor cannot buy is taken, and belongs to no category of the legend', () => {
    const hall = hallOf(operaHouse(), all.slice(0, 1));
    expect(
      new Set(hall.seats.filter(({ free }: { free: boolean }) => free).map((seat: { areaId: string }) => seat.areaId)),
    ).toEqual(new Set(['parterre']));
    expect(hall.categories.map(({ id }: { id: string }) => id)).toEqual(['first']);
  });

  test('an area without seats is shown, and the hall contains stage, outlines and seats', () => {
    const map = hallOfBlocks([{ id: 'a', name: 'A', category: 'first', x: 0, y: 0, rows: ['A'], seats: 4 }]);
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
    expect([
      numberOf({ row: 'A', label: 'A-14' }),
      numberOf({ row: '1', label: '1-12' }),
      numberOf({ row: 'A', label: 'Box 3' }),
      numberOf({ row: 'A', label: 'A' }),
    ]).toEqual(['14', '12', 'Box 3', 'A']);
  });
});
