import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnginesName } from '../../deployment/deployment.ts';
import { randomFrom } from '../../round/random.ts';
import type { PlanRow, SuiteResult } from '../row.ts';

const ROOT = new URL('../../../../../', import.meta.url).pathname;

/** The suites of the machines of orders, tickets and stock, and the test in each that plays random histories. */
const machines = [
  {
    suite: 'services/orders/test/domain/random-histories-keep-every-invariant.test.ts',
    test: 'random histories of commands, crashes, pauses',
  },
  {
    suite: 'services/tickets/test/events/events-and-commands-in-any-order-with-crashes.test.ts',
    test: 'a line has one current ticket',
  },
  {
    suite: 'services/catalog/test/stock/random-histories-agree-with-a-model.test.ts',
    test: 'agree with a model',
  },
] as const;

/** The name of the store in the suites; the order machine's histories need none. */
const stores: Readonly<Record<EnginesName, string>> = { embedded: 'SQLite', scaled: 'MongoDB' };

/** The part of jest's JSON report that is read. */
interface JestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The failed tests, and the suites that could not be run, each with its message. */
const failuresIn = ({ testResults }: JestReport): string[] =>
  testResults.flatMap(({ name, message, status, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${name}: ${message}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('\n')}`);
  });

/** Runs jest to its end; a failed test is in its report, so that the exit status says nothing more. */
const runJest = (args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<string> =>
  new Promise((resolve) => {
    const node = ['--experimental-vm-modules', '--conditions=source', '--disable-warning=ExperimentalWarning'];
    const options = { cwd: ROOT, env: { ...process.env, ...env }, maxBuffer: Number.POSITIVE_INFINITY };
    execFile(process.execPath, [...node, 'node_modules/jest/bin/jest.js', ...args], options, (_error, _out, errors) =>
      resolve(errors),
    );
  });

const runHistories = async (count: number, seed: string, engines: EnginesName): Promise<SuiteResult> => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-histories-'));
  const report = join(directory, 'jest.json');
  const each = Math.ceil(count / machines.length);
  const tests = machines.map(({ test }) => test).join('|');
  const args = [
    ...['--json', `--outputFile=${report}`, '--testTimeout=86400000', '--runTestsByPath'],
    ...machines.map(({ suite }) => suite),
    `--testNamePattern=^(?!.* on ${engines === 'embedded' ? stores.scaled : stores.embedded}\\b).*(?:${tests})`,
  ];
  const env = {
    NODE_ENV: 'test',
    TEST_HISTORIES: `${each}`,
    TEST_HISTORIES_SEED: `${randomFrom(`${seed}/${engines}/histories`).between(0, 2 ** 31 - 1)}`,
    // The pattern excludes the suites of MongoDB; without its address, they are not even begun.
    ...(engines === 'embedded' ? { TEST_MONGODB_URL: undefined } : {}),
  };
  try {
    const printed = await runJest(args, env);
    const jest: JestReport = JSON.parse(await readFile(report, 'utf8').catch(() => 'null'));
    if (jest === null) throw new Error(`the suites of random histories could not be run:\n${printed}`);
    const failures = failuresIn(jest);
    const played = jest.numPassedTests + failures.length;
    if (played < machines.length) throw new Error(`${played} of ${machines.length} suites have random histories`);
    return {
      checked: each * machines.length,
      violations: failures.map((text) => ({ invariant: 'round', text })),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const EACH = 3_000;

/** A run has a database of its own: on a server that reads whole collections, longer runs take more time per history. */
const EACH_IN_ONE_RUN = 150;

/** Random histories of the machines of orders, tickets and stock, as their own suites play them. */
export const histories: PlanRow = {
  number: 11,
  fault: 'random histories of the order, ticket and stock machines, 3,000 of each',
  unit: 'histories',
  times: { embedded: EACH * machines.length, scaled: EACH * machines.length },
  lacks: (engines) =>
    engines === 'scaled' && !process.env.TEST_MONGODB_URL ? 'TEST_MONGODB_URL is not set' : undefined,
  play: { kind: 'suite', most: EACH_IN_ONE_RUN * machines.length, run: runHistories },
};
