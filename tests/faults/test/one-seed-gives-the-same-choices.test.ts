import { expect, test } from '@jest/globals';
import { createRandom } from '../src/round/random.ts';
import { selectShare } from '../src/round/round.ts';

const drawn = (seed: string) => {
  const random = createRandom(seed);
  return [random.between(1, 6), random.chance(0.5), random.pick(['a', 'b', 'c']), random.shuffle([1, 2, 3, 4])];
};

test('one seed gives the same choices, another seed gives others', () => {
  expect(drawn('7')).toEqual(drawn('7'));
  const many = new Set(Array.from({ length: 50 }, (_, seed) => JSON.stringify(drawn(String(seed)))));
  expect(many.size).toBeGreaterThan(30);
});

test('a fork depends on its name alone', () => {
  const [early, late] = [createRandom('s'), createRandom('s')];
  late.next();
  expect(early.fork('x').next()).toBe(late.fork('x').next());
  expect(early.fork('x').next()).not.toBe(early.fork('y').next());
});

test('turns play every item of a list before they repeat one', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];
  const turns = [0, 1, 2].map((turn) => selectShare({ seed: 's', turn }, all, 2));
  expect(new Set(turns.flat().slice(0, 5))).toEqual(new Set(all));
  expect(selectShare({ seed: 's', turn: 0 }, ['a'], 8)).toEqual(['a']);
});
