import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { operaHouse } from './halls.ts';
import { shopModule } from './shop-module.ts';

const { hallOf } = await shopModule('hall/hall.js');
const view = await shopModule('hall/view.js');

const hall = hallOf(operaHouse(), []);
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
