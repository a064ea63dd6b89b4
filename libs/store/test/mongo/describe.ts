import { describe, test } from '@jest/globals';

/** The address of the tests' MongoDB; undefined if there is none. */
export const mongoUrl: string | undefined = process.env.TEST_MONGODB_URL || undefined;

/** Declares the tests of `body` if there is a MongoDB; otherwise a skipped test with the reason. */
export function describeMongo(name: string, body: (url: string) => void): void {
  if (mongoUrl !== undefined) {
    const url = mongoUrl;
    describe(name, () => body(url));
  } else {
    const reason = 'MongoDB was not exercised: TEST_MONGODB_URL is not set';
    // Jest's summary omits a file that has only skipped tests.
    process.stderr.write(`skipped: ${name}; ${reason}\n`);
    describe(name, () => {
      test.skip(reason, () => {});
    });
  }
}
