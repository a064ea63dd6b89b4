import { expect, test } from '@jest/globals';
import { checkWallClock, measuringLines } from '../../src/wall-clock.ts';

test.each([
  ['expect(performance.', 'now() - begun).toBeLessThan(2_000);'],
  ['const took = Date.', 'now() - start;'],
  ['const begun = process.hr', 'time.bigint();'],
  ['expect(Date.', 'now()).toBeLessThan(deadline);'],
])('%s%s is found', (...parts) => {
  expect(measuringLines(`const a = 1;\n${parts.join('')}`)).toEqual([2]);
});

test('times as data, deadlines of a wait and lower bounds are not', () => {
  const fine = [
    'const by = Date.now() - 60_000;',
    'const ago = new Date(Date.now() - minutes * 60_000);',
    'const before = Date.now() - olderThanMs;',
    'if (Date.now() > deadline) throw new Error();',
    'expect(Date.now()).toBeGreaterThanOrEqual(earliest);',
    'expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);',
  ];
  expect(measuringLines(fine.join('\n'))).toEqual([]);
});

test('there is none', async () => {
  expect((await checkWallClock()).faults).toEqual([]);
});
