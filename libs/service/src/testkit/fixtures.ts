import { afterAll, beforeAll } from '@jest/globals';

/** Opens a fixture before the tests of the present block and closes it after them; has its members during the tests. */
export const useFixture = <Fixture extends { close(): Promise<unknown> }>(open: () => Promise<Fixture>): Fixture => {
  const fixture = {} as Fixture;
  beforeAll(async () => {
    Object.assign(fixture, await open());
  });
  afterAll(() => fixture.close());
  return fixture;
};
