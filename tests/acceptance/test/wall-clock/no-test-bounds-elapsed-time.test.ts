import { expect, test } from '@jest/globals';
import { checkWallClock, measuringLines } from '../../src/wall-clock.ts';

test.each([
  ['expect(performance.', 'now() - startedAt).toBeLessThan(2_000);'],
  ['const took = Date.', 'now() - start;'],
  ['const startedAt = process.hr', 'time.bigint();'],
  ['expect(Date.', 'now()).toBeLessThan(deadline);'],
])('%s%s is found', (...parts) => {
  expect(measuringLines(`const a = 1;\n${parts.join('')}`)).toEqual([2]);
});

test('times as data, deadlines of a wait and lower bounds are accepted', () => {
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

test('no test of the project asserts an upper bound of elapsed time', async () => {
  expect((await checkWallClock()).faults).toEqual([]);
});
