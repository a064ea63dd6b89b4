import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './checks.ts';
import { run } from './command.ts';
import { missingEngines } from './engines.ts';
import { createDemoData } from './product.ts';
import { joinSuites } from './suites.ts';

// npm test [-- <jest options and test paths>]: the checks, then every suite; the last line tallies both.
const patterns = process.argv.slice(2);
const scratch = await mkdtemp(join(tmpdir(), 'boxoffice-test-'));
const report = join(scratch, 'jest.json');
// The tests start some hundred processes, which would compile the same sources each.
const compiled = fileURLToPath(new URL('../../../.cache/compiled', import.meta.url));

const missing = missingEngines(process.env);
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
