import { afterEach, expect, test } from '@jest/globals';
import { behave, replaceClock } from '../src/inside/modes.ts';
import { faithful } from '../src/inside/orders.ts';

const Original = Date;
const HOUR_MS = 3_600_000;
afterEach(() => {
  behave(faithful);
  globalThis.Date = Original;
});

test('the wall clock differs by the mode as long as it is set, and dates of both clocks are the same kind', () => {
  replaceClock();
  const hoursAhead = (now: number) => Math.round((now - Original.now()) / HOUR_MS);
  for (const hours of [1, 2]) {
    behave({ ...faithful, clockMs: hours * HOUR_MS });
    const current = new Date();
    expect([Date.now(), Date.parse(Date()), current.getTime()].map(hoursAhead)).toEqual([hours, hours, hours]);
    expect(new Date(0)).toEqual(new Original(0));
    expect(new Date()).toBeInstanceOf(Original);
    expect(new Original(0)).toBeInstanceOf(Date);
  }
  behave(faithful);
  expect(hoursAhead(Date.now() + 1)).toBe(0);
});
