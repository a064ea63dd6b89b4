import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { run, runChecks } from './checks.ts';
import { findMissingEngines } from './engines.ts';
import { createDemoData } from './product.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const SUITES = join(ROOT, '.cache/suites');
const JOINED = '{libs/*,gateway,authorizer,services/*,deploy/*,tests/faults}/test/**/*.test.ts';
/** Folders whose test files stop engines or start the product, or play one long story each. */
const ALONE = '{rabbitmq,mongo,sqlite,model,deployments}';
/** In a joined suite these would count for the tests of every file. */
const HOOKS = /^(?:beforeEach|afterEach)\(|useFakeTimers/m;
/** Files that share one product, in this order: what one does to it disturbs none of the others. */
const SHARING = [
  'description/{every-named-schema,services-accept}*',
  'partner/{a-partner-installs,a-resource,partners-use}*',
  '{documents/the-commands,events/a-partner-hears,partner/users-who}*',
  'shop/{a-bought-ticket,visitors-buy}*',
];
const MAX_LINES = 1_000;

const packageOf = (file: string): string => file.slice(0, file.indexOf('/test/'));

/** Whether the words of the command select whole packages at most, such as `services/orders`. */
const selectsPackages = (words: readonly string[]): boolean =>
  words.every((word) => word.startsWith('-') || existsSync(join(ROOT, word, 'package.json')));

/**
 * Joins the test files of each package, but those of `tests/` that start the product, into suites of about a thousand
 * lines: loading the modules that they share takes longer than most of them. A file with hooks around each test stays
 * alone. Returns jest's options that run these suites and the other test files; none where the words of the command
 * select single files. `without`: parts of the paths of files that cannot run.
 */
const joinSuites = (words: readonly string[], without: readonly string[]): string[] => {
  rmSync(SUITES, { recursive: true, force: true });
  if (!selectsPackages(words)) return [];
  const matching = (pattern: string): string[] =>
    globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules', `**/test/**/${ALONE}`] })
      .filter((file) => !without.some((part) => `/${file}`.includes(part)))
      .toSorted();
  const files = matching(JOINED);
  const sharing = SHARING.map((names) => matching(`tests/acceptance/test/${names}.test.ts`));
  const suites = sharing.filter(({ length }) => length > 0);
  let open: string[] = [];
  let lines = 0;
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const more = text.split('\n').length;
    if (HOOKS.test(text)) {
      suites.push([file]);
    } else if (packageOf(String(open[0])) === packageOf(file) && lines + more <= MAX_LINES) {
      open.push(file);
      lines += more;
    } else {
      open = [file];
      suites.push(open);
      lines = more;
    }
  }
  for (const [first = '', ...others] of suites) {
    const folder = join(SUITES, packageOf(first), 'test');
    mkdirSync(folder, { recursive: true });
    const imports = [first, ...others].map((file) => `import ${JSON.stringify(join(ROOT, file))};\n`);
    writeFileSync(join(folder, basename(first).replace('.test.ts', '.suite.ts')), imports.join(''));
  }
  const matched = [
    '.cache/suites/**/*.suite.ts',
    'tests/!(faults)/test/**/*.test.ts',
    `*/*/test/**/${ALONE}/**/*.test.ts`,
  ];
  return [
    ...matched.map((pattern) => `--testMatch=**/${pattern}`),
    ...sharing.flat().map((file) => `--testPathIgnorePatterns=/${file}$`),
  ];
};

// npm test [-- <jest options and test paths>]: the checks, then every suite; the last line tallies both.
const patterns = process.argv.slice(2);
const scratch = await mkdtemp(join(tmpdir(), 'boxoffice-test-'));
const report = join(scratch, 'jest.json');
// The tests start some hundred processes, which would compile the same sources each.
const compiled = join(ROOT, '.cache/compiled');

const missing = findMissingEngines(process.env);
const demoData = join(scratch, 'demo');
// A product takes longer to create its demo data than to start.
const [checks] =
  patterns.length > 0 ? [{ passed: 0, failed: 0 }] : await Promise.all([runChecks(), createDemoData(demoData)]);
const { status } = await run(
  'node',
  [
    '--experimental-vm-modules',
    '--conditions=source',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    // Before the options: one of them takes all words that follow it.
    ...patterns,
    '--json',
    `--outputFile=${report}`,
    // The option replaces the list of the configuration.
    ...joinSuites(patterns, missing.tests),
    ...['/node_modules/', '/dist/', ...missing.tests].map((pattern) => `--testPathIgnorePatterns=${pattern}`),
  ],
  {
    env: { NODE_ENV: 'test', NODE_COMPILE_CACHE: compiled, ...(patterns.length === 0 && { TEST_DEMO_DATA: demoData }) },
  },
);

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
}
const none: JestReport = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 1 };
const jest: JestReport = await readFile(report, 'utf8').then(JSON.parse, () => none);
await rm(scratch, { recursive: true, force: true, maxRetries: 5 });

const everyEngine = process.env.TEST_EVERY_ENGINE === '1';
const broken = jest.numRuntimeErrorTestSuites + (everyEngine ? missing.lines.length + jest.numPendingTests : 0);
const passed = checks.passed + jest.numPassedTests;
const failed =
  checks.failed + jest.numFailedTests + broken + (status !== 0 && jest.numFailedTests + broken === 0 ? 1 : 0);

process.stdout.write('\n');
for (const line of missing.lines)
  process.stdout.write(`${line}
`);
if (jest.numPendingTests > 0)
  process.stdout.write(`${jest.numPendingTests} tests skipped because an engine is missing
`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
