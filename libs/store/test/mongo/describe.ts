import { describe, test } from '@jest/globals';

/** Where the tests' MongoDB is; undefined if there is none. */
export const mongoUrl: string | undefined = process.env.TEST_MONGODB_URL || undefined;

/** Runs the tests of `body` where there is a MongoDB; elsewhere a skipped test says that there was none. */
export const describeMongo = (name: string, body: (url: string) => void): void => {
  if (mongoUrl !== undefined) {
    const url = mongoUrl;
    describe(name, () => body(url));
  } else {
    const reason = 'MongoDB was not exercised: TEST_MONGODB_URL is not set';
    // A file of nothing but skipped tests is not mentioned otherwise.
    process.stderr.write(`skipped: ${name}; ${reason}\n`);
    describe(name, () => {
      test.skip(reason, () => {});
    });
  }
};
