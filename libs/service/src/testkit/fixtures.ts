import { integer, readSettings } from '@boxoffice/runtime';
import { afterAll, beforeAll } from '@jest/globals';

/** Opens a fixture before the tests of the present block and closes it after them; has its members during the tests. */
export function useFixture<Fixture extends { close(): Promise<unknown> }>(open: () => Promise<Fixture>): Fixture {
  const fixture = {} as Fixture;
  beforeAll(async () => {
    Object.assign(fixture, await open());
  });
  afterAll(() => fixture.close());
  return fixture;
}

export interface HistoriesOptions {
  readonly numRuns: number;
  /** Undefined: another one in each run. */
  readonly seed?: number;
  /** Milliseconds after which the remaining histories are left out. */
  readonly interruptAfterTimeLimit?: number;
}

const named = readSettings({
  runs: integer('TEST_HISTORIES', { min: 1, optional: true }),
  seed: integer('TEST_HISTORIES_SEED', { min: 0, optional: true }),
});

/** `usual`, or all of those that TEST_HISTORIES names, without a time limit; TEST_HISTORIES_SEED chooses them. */
export function selectHistories(usual: Omit<HistoriesOptions, 'seed'>): HistoriesOptions {
  return {
    ...(named.runs === undefined ? usual : { numRuns: named.runs }),
    ...(named.seed === undefined ? {} : { seed: named.seed }),
  };
}
