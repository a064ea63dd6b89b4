import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { afterEach, describe, expect, test } from '@jest/globals';
import { controls } from '../src/controls.ts';
import { requireCrashPoint } from '../src/deployment/crash-points.ts';
import { behave, faithful, mutateSource, replaceClock } from '../src/inside/orders.ts';

const ROOT = new URL('../../../', import.meta.url);

test.each(controls.map((control) => [control.name, control] as const))(
  'the bug %s changes its sources, and they can still be loaded',
  (_, { mutations, points = [] }) => {
    for (const [file, own = []] of Object.entries(Object.groupBy(mutations, (mutation) => mutation.file))) {
      const changed = own.reduce(mutateSource, readFileSync(new URL(file, ROOT), 'utf8'));
      expect(stripTypeScriptTypes(changed)).not.toBe('');
    }
    for (const point of points) expect(requireCrashPoint(point)).toBeDefined();
  },
);

describe('a mutation is refused', () => {
  const mutation = { file: 'some.ts', from: 'one', to: 'two' };
  test('if its text is absent', () => expect(() => mutateSource('three', mutation)).toThrow(/some\.ts .* not 0 times/));
  test('if its text is there twice', () => expect(() => mutateSource('one one', mutation)).toThrow(/not 2 times/));
});

describe('a process may have another clock', () => {
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
});
