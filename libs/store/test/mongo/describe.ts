import { describe, test } from '@jest/globals';

/** Where the tests' MongoDB is; undefined if there is none. */
export const mongoUrl: string | undefined = process.env.TEST_MONGODB_URL || undefined;

/** Runs the tests of `body` where there is a MongoDB; elsewhere a skipped test says that there was none. */
export const describeMongo = (name: string, body: (url: string) => void): void => {
  if (mongoUrl !== undefined) {
    const url = mongoUrl;
    describe(name, () => body(url));
  } else {
    describe(name, () => {
      test.skip('MongoDB was not exercised: TEST_MONGODB_URL is not set', () => {});
    });
  }
};
