import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { invariants } from '../src/invariants/verdict.ts';
import { scenarios } from '../src/scenarios/index.ts';

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
