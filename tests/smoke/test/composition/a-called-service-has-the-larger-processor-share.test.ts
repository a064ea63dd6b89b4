import { expect, test } from '@jest/globals';
import { composition } from './files.ts';

/** The default of the engine. */
const DEFAULT = 1_024;

const shareOf = (name: string): number => composition.services[name]?.cpu_shares ?? DEFAULT;

/** Who waits for whom during a request, in the composition of the example. */
const waitsFor: readonly (readonly [string, readonly string[]])[] = [
  ['pos', ['catalog', 'contacts', 'tickets']],
  ['orders', ['catalog', 'contacts', 'tickets']],
  ['catalog', ['authorizer', 'gateway']],
  ['tickets', ['authorizer', 'gateway']],
  ['contacts', ['authorizer', 'gateway']],
  ['authorizer', ['mongodb', 'rabbitmq']],
];

test('a container gets less of a contended processor than those that its requests wait for', () => {
  for (const [caller, called] of waitsFor) {
    for (const name of called)
      expect([name, shareOf(name)]).toEqual([name, Math.max(shareOf(name), shareOf(caller) * 2)]);
  }
});

test('one-shot containers get the smallest share', () => {
  for (const name of ['topology', 'operator', 'demo']) expect(shareOf(name)).toBeLessThan(DEFAULT);
});
