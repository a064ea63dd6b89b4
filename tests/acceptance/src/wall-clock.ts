import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './supply-chain.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;

/** The tests and their fixtures. */
const TESTS = ['{gateway,authorizer}/test/**/*.ts', '{libs,services,deploy}/*/{test,src/conformance}/**/*.ts'];

/** Tests that compare durations within one run, which a slow machine lengthens alike. */
const COMPARES_DURATIONS: Readonly<Record<string, string>> = {
  'libs/store/src/conformance/documents/large.ts': 'a page of many documents with one of few',
  'services/pos/test/login/logins-are-throttled-and-reveal-nothing.test.ts':
    'the refusal of an unknown login with that of a known one',
  'services/pos/test/availability/availability-is-at-most-a-second-old.test.ts': 'loads with the time that passed',
};

const MEASURES: readonly RegExp[] = [
  /performance\s*\.\s*now|hrtime/,
  // An elapsed time; a subtracted duration is data.
  /Date\.now\(\) - (?!\w*Ms\b)[a-z]\w*\b(?! \*)/,
  /expect\(\s*Date\.now\(\)[^;]*\.toBeLess/,
];

/** The line numbers at which a test measures elapsed time. */
export const measuringLines = (text: string): number[] =>
  text.split('\n').flatMap((line, index) => (MEASURES.some((measure) => measure.test(line)) ? [index + 1] : []));

/**
 * Tests assert no upper bound of wall-clock time, since they run on machines of any speed and load: they check the
 * order of events or inject a clock, and wait for a condition ten times the promised time. So they need no measurement
 * of time.
 */
export const checkWallClock = async (): Promise<Finding> => {
  const files = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }).sort();
  const faults = files
    .filter((file) => !(file in COMPARES_DURATIONS))
    .flatMap((file) =>
      measuringLines(readFileSync(join(ROOT, file), 'utf8')).map(
        (line) =>
          `${file}:${line} bounds elapsed time: assert the order of events, inject a clock, or wait for the condition for ten times the promised time`,
      ),
    );
  return { faults, summary: `${files.length} files` };
};
