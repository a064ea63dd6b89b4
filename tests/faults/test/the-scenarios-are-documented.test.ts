import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { controls } from '../src/controls.ts';
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

test('docs/reliability.md has every planted bug, in the order of play', () => {
  expect(tableBelow('| bug | planted in | scenario |')).toEqual(
    controls.map(({ name, bug, mutations: [first], scenario }) => {
      const file = first?.file ?? '';
      return `| ${bug} (\`${name}\`) | [${file}](../${file}) | ${scenario.name} |`;
    }),
  );
});
