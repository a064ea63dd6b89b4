import { describe, expect, test } from '@jest/globals';
import { operaHouse } from './halls.ts';
import { shopModule } from './shop-module.ts';

const { hallOf } = await shopModule('hall/hall.js');
const { seatForKey } = await shopModule('hall/list.js');

interface Seat {
  readonly id: string;
  readonly areaId: string;
  readonly row: string;
  readonly number: string;
}

const hall = hallOf(operaHouse(), []);
const seat = (id: string): Seat => hall.byId.get(id);
const from = (id: string, key: string, far = false): string | undefined => seatForKey(hall, seat(id), key, far)?.id;

describe('arrows lead through the hall', () => {
  test('along a curved row to the next number, and to the row behind', () => {
    for (let number = 1; number < 40; number += 1) {
      expect(from(`parterre-F-${number}`, 'ArrowRight')).toBe(`parterre-F-${number + 1}`);
      expect(from(`parterre-F-${number + 1}`, 'ArrowLeft')).toBe(`parterre-F-${number}`);
      expect(from(`parterre-F-${number}`, 'ArrowDown')).toBe(`parterre-G-${number}`);
      expect(from(`parterre-G-${number}`, 'ArrowUp')).toBe(`parterre-F-${number}`);
    }
  });

  test('along a box that stands crosswise by what one sees', () => {
    expect(from('boxR1-1-1', 'ArrowDown')).toBe('boxR1-1-2');
    expect(from('boxR1-1-4', 'ArrowDown')).toBe('boxR2-1-1');
    expect(seat(`${from('boxR3-1-2', 'ArrowLeft')}`).areaId).toBe('parterre');
  });

  test('from the parterre into the balcony, and back', () => {
    expect(seat(`${from('parterre-X-5', 'ArrowDown')}`).areaId).toBe('balcony1');
    expect(seat(`${from('balcony1-A-10', 'ArrowUp')}`).areaId).toBe('parterre');
    expect(from('balcony2-H-28', 'ArrowDown')).toBeUndefined();
  });

  test('each seat is reached from each other', () => {
    const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
    const back = new Map<Seat, Seat[]>();
    const ahead = new Map<Seat, Seat[]>();
    for (const one of hall.seats as Seat[]) {
      for (const key of keys) {
        const next: Seat | undefined = seatForKey(hall, one, key, false);
        if (!next) continue;
        ahead.set(one, [...(ahead.get(one) ?? []), next]);
        back.set(next, [...(back.get(next) ?? []), one]);
      }
    }
    const reached = (ways: Map<Seat, Seat[]>): number => {
      const seen = new Set<Seat>([hall.seats[0]]);
      for (const one of seen) for (const next of ways.get(one) ?? []) seen.add(next);
      return seen.size;
    };
    expect([reached(ahead), reached(back)]).toEqual([hall.seats.length, hall.seats.length]);
  });

  test('Home and End keep to the row, with Ctrl to the hall; Page Up and Down change the area', () => {
    expect(from('parterre-C-9', 'Home')).toBe('parterre-C-1');
    expect(from('parterre-C-9', 'End')).toBe('parterre-C-40');
    expect(from('parterre-C-9', 'Home', true)).toBe('parterre-A-1');
    expect(from('parterre-C-9', 'PageDown')).toBe('side-W-1');
    expect(from('parterre-C-9', 'PageUp')).toBe('parterre-A-1');
    expect(from('parterre-C-9', 'x')).toBeUndefined();
  });
});
