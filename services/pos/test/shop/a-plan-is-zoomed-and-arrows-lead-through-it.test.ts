import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createOperaHouse, importShopModule } from './fixture.ts';

const { hallOf } = await importShopModule('hall/hall.js');
const { seatForKey } = await importShopModule('hall/list.js');
const view = await importShopModule('hall/view.js');

const hall = hallOf(createOperaHouse(), []);
const phone = { width: 390, height: 550 };
const start = view.whole(hall, phone);

interface View {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

const shown = ({ scale, left, top }: View, { x, y }: { x: number; y: number }) => ({
  x: x * scale + left,
  y: y * scale + top,
});

describe('a plan is zoomed and moved', () => {
  test('at first the whole hall is seen, and no seat can be chosen by a finger', () => {
    for (const seat of hall.seats) {
      const { x, y } = shown(start, seat);
      expect(x > 0 && x < phone.width && y > 0 && y < phone.height).toBe(true);
    }
    expect(view.isChoosable(hall, start, 'touch')).toBe(false);
  });

  test('the point between the fingers stays below them', () => {
    const point = { x: 200, y: 300 };
    const near = view.zoom(hall, phone, start, 4, point);
    const before = view.pointAt(start, point);
    const after = view.pointAt(near, point);
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
  });

  test('however it is moved, the plan is never empty, and 0 shows the whole hall again', () => {
    const action = fc.oneof(
      fc.record({ factor: fc.double({ min: 0.2, max: 5, noNaN: true }), x: fc.nat(390), y: fc.nat(550) }),
      fc.record({ right: fc.integer({ min: -900, max: 900 }), down: fc.integer({ min: -900, max: 900 }) }),
    );
    const { least, most } = view.scalesOf(hall, phone);
    const property = fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
      let now: View = start;
      for (const one of actions) {
        now =
          'factor' in one
            ? view.zoom(hall, phone, now, one.factor, one)
            : view.pan(hall, phone, now, one.right, one.down);
        expect(now.scale).toBeGreaterThanOrEqual(least);
        expect(now.scale).toBeLessThanOrEqual(most);
        const [corner, end] = [
          shown(now, { x: hall.box.left, y: hall.box.top }),
          shown(now, { x: hall.box.right, y: hall.box.bottom }),
        ];
        for (const [from, to, length] of [
          [corner.x, end.x, phone.width],
          [corner.y, end.y, phone.height],
        ] as const) {
          const isFilled = from <= 0.01 && to >= length - 0.01;
          const isInside = from >= -0.01 && to <= length + 0.01;
          expect(isFilled || isInside).toBe(true);
        }
      }
    });
    fc.assert(property, { numRuns: 200 });
  });

  test('an area and the seat with the focus are shown large enough to choose', () => {
    for (const area of hall.areas) {
      expect(view.isChoosable(hall, view.viewOfArea(hall, phone, area), 'touch')).toBe(true);
    }
    for (const seat of hall.seats.filter((_: unknown, index: number) => index % 97 === 0)) {
      const near = view.reveal(hall, phone, start, seat);
      const { x, y } = shown(near, seat);
      expect(view.isChoosable(hall, near, 'touch')).toBe(true);
      expect(x >= 0 && x <= phone.width && y >= 0 && y <= phone.height).toBe(true);
      expect(view.reveal(hall, phone, near, seat)).toEqual(near);
    }
  });
});

interface Seat {
  readonly id: string;
  readonly areaId: string;
  readonly row: string;
  readonly number: string;
}

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
