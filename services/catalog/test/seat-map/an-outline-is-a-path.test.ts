import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPath, pointsOf } from '../../src/domain/svg-path.ts';

describe('an SVG path', () => {
  test.each([
    'M0 0',
    'M0 0L10 0 10 10z',
    'm-1.5.5-.5-1e1,2 3 ,4,5Z',
    ' M 1,2 H3V4C1 2 3 4 5 6S1 2 3 4Q1 2 3 4T5 6\n',
    'M0 0A10 10 0 00 20 0a5 5 0 1 1.5.5',
    'M0 0ZM5 5Z',
  ])('is %j', (text) => expect(isPath(text)).toBe(true));

  test.each([
    '',
    ' ',
    'L1 1',
    'M',
    'M0',
    'M0 0 1',
    'M,0 0',
    'M0 0,',
    'M0 0,L1 1',
    'M0,,0',
    'M0 0L',
    'M0 0Z5',
    'M0 0X1',
    'M0 0H1e999',
    'M0 0H100001',
    'M0 0Hinfinity',
    'M0 0HNaN',
    'M0 0A1 1 0 2 0 1 1',
    'M0 0"/><script>',
    'M1. 0',
    'M0 0L1 1;',
  ])('is not %j', (text) => expect(isPath(text)).toBe(false));

  test('is recognised in linear time', () => {
    expect(isPath(`M${'1'.repeat(4_000)}!`)).toBe(false);
    expect(isPath(`M0 0${' '.repeat(4_000)}!`)).toBe(false);
  });

  test('is any sequence of commands, as long as the first is a move', () => {
    const number = fc.double({ min: -1e5, max: 1e5, noNaN: true }).map(String);
    const step = fc.oneof(
      fc.tuple(fc.constantFrom('L', 'l', 'M', 't'), number, number),
      fc.tuple(fc.constantFrom('H', 'v'), number),
      fc.tuple(fc.constantFrom('c'), number, number, number, number, number, number),
      fc.tuple(fc.constant('z')),
    );
    fc.assert(
      fc.property(fc.array(step), fc.constantFrom(' ', ',', ' , '), (steps, gap) => {
        const text = `M0 0${steps.map(([name, ...numbers]) => name + numbers.join(gap)).join('')}`;
        expect([text, isPath(text)]).toEqual([text, true]);
      }),
    );
  });

  test.each([
    ['M1 2L3 4', [1, 2, 3, 4]],
    ['m1 2h2v2z', [1, 2, 3, 4]],
    ['M1 2l2 0 0 2m-1 0l-9 0', [-7, 2, 3, 4]],
    ['M0 0q5-5 10 0', [0, -5, 10, 0]],
    ['M0 0A5 5 0 0 1 10 0', [-5, -5, 15, 5]],
    ['M0 0A5 5 0 1 1 10 0', [-10, -10, 20, 10]],
  ])('%s lies within %j', (text, [left, top, right, bottom]) => {
    const points = pointsOf(text);
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    expect([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]).toEqual([left, top, right, bottom]);
  });
});
