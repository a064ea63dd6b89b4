import { createRequire } from 'node:module';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/**
 * Suites that start installations, brokers, writers or browsers, and keep a processor busy for ten seconds to minutes,
 * though their files are short: the longest first.
 */
const long = [
  '/tests/faults/test/deployments/',
  '/tests/acceptance/test/shop/',
  '/tests/acceptance/test/sign-in/',
  '/libs/store/test/mongo/',
  '/tests/acceptance/test/',
  '/tests/',
  '/deploy/',
  '/libs/messaging/test/',
  '/libs/store/test/',
];

const rank = ({ path }) => {
  const found = long.findIndex((folder) => path.includes(folder));
  return found < 0 ? long.length : found;
};

/** Both lists in their order, spread evenly over the result. */
const blended = (one, other) => {
  const at = (list) => list.map((test, index) => ({ test, at: index / list.length }));
  return [...at(one), ...at(other)].toSorted((a, b) => a.at - b.at).map(({ test }) => test);
};

/**
 * Long suites first, so that no worker is left with one of them at the end. Jest knows durations of earlier runs only;
 * on a fresh clone it goes by the size of files. There, suites that keep a processor busy run beside those that mostly
 * wait.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const ranked = sorted.toSorted((a, b) => rank(a) - rank(b));
    const isBusy = (test) => rank(test) < long.length;
    return blended(
      ranked.filter(isBusy),
      ranked.filter((test) => !isBusy(test)),
    );
  }
}
