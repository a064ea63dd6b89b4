import { createRequire } from 'node:module';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** Suites that start installations, brokers or writers, and the longest of a service: a minute each, in short files. */
const long = [
  '/deploy/acceptance/test/',
  '/deploy/release/test/',
  '/libs/messaging/test/rights/',
  '/libs/store/test/',
  '/deploy/',
  '/services/orders/test/',
];

const rank = ({ path }) => {
  const found = long.findIndex((folder) => path.includes(folder));
  return found < 0 ? long.length : found;
};

/**
 * Long suites first, so that no worker is left with one of them at the end. Jest knows durations of earlier runs only;
 * on a fresh clone it goes by the size of files.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.some(({ duration }) => duration !== undefined)
      ? sorted
      : sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
