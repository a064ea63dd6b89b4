import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { invariants } from '../src/invariants/verdict.ts';
import { readCommandLine } from '../src/main.ts';
import { scenarios } from '../src/run.ts';

const MAIN = new URL('../src/main.ts', import.meta.url).pathname;

/** Runs `npm run faults` without engines in the environment. */
const faults = async (...words: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> => {
  const env = { PATH: process.env.PATH };
  const run = promisify(execFile)('node', ['--conditions=source', MAIN, ...words], { env });
  return run.then((printed) => ({ code: 0, ...printed }));
};

test('--engines scaled without its engines ends with status 2 and the reason', async () => {
  await expect(faults('--engines', 'scaled')).rejects.toMatchObject({
    code: 2,
    stdout: expect.not.stringContaining('no violation'),
    stderr: 'the scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL\n',
  });
});

const known = { scenarios: ['kills'], controls: ['no-rollback'] };

test('without --engines both deployments are played, as far as they are configured', () => {
  expect(readCommandLine([], known)).toMatchObject({ engines: ['embedded', 'scaled'], enginesNamed: false });
  expect(readCommandLine(['--engines', 'both'], known)).toMatchObject({ enginesNamed: true });
});

test('scenarios and controls are chosen by their names', () => {
  expect(readCommandLine(['--controls'], known).controls).toEqual(['no-rollback']);
  expect(readCommandLine(['--scenario', 'kills'], known)).toMatchObject({ scenarios: ['kills'], controls: undefined });
  expect(() => readCommandLine(['--control', 'no-rollback'], known)).toThrow('--control needs --controls');
  expect(() => readCommandLine(['--controls', '--control', 'none'], known)).toThrow('no control none');
  expect(() => readCommandLine(['--minutes', 'two'], known)).toThrow('--minutes');
});

const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');

/** The rows of the table below a head. */
const tableBelow = (head: string): string[] =>
  (page.split(`\n${head}\n`)[1] ?? '').split('\n\n')[0]?.split('\n').slice(1) ?? [];

test('docs/reliability.md has the invariants as the violations name them', () => {
  expect(tableBelow('| invariant | what holds |')).toEqual(
    Object.entries(invariants).map(([name, text]) => `| ${name} | ${text} |`),
  );
});

test('docs/reliability.md has every scenario, in the order of play', () => {
  expect(tableBelow('| scenario | what happens |')).toEqual(
    scenarios.map(({ name, about }) => `| ${name} | ${about} |`),
  );
});
