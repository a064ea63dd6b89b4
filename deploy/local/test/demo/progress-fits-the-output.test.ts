import { expect, test } from '@jest/globals';
import { createProgressLine } from '../../src/index.ts';

/** Reports 272 products, one every 10 ms, and returns the output. */
const written = (isTTY: boolean): string => {
  let text = '';
  let time = 0;
  const line = createProgressLine({ isTTY, columns: 80, write: (more) => (text += more) }, () => time);
  for (let done = 1; done <= 272; done += 1) {
    line.tell(`${done} of 272 products`);
    time += 10;
  }
  line.end();
  return text;
};

test('in a terminal it is one line, rewritten', () => {
  expect(written(true).split('\n')).toHaveLength(2);
  expect(written(true)).toContain('Demo data: 272 of 272 products\n');
});

test('elsewhere it is a line for every second', () => {
  expect(written(false).trim().split('\n')).toEqual([
    'Demo data: 1 of 272 products',
    'Demo data: 101 of 272 products',
    'Demo data: 201 of 272 products',
  ]);
});
