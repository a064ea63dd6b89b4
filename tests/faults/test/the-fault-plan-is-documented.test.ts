import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { controls } from '../src/controls/index.ts';
import {
  accessPointNames,
  checkoutPointNames,
  commandPointNames,
  crashPointNames,
  crashPoints,
  rescuePointNames,
} from '../src/deployment/crash-points.ts';
import { scenarios } from '../src/scenarios/index.ts';

const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');
const [, chapter = ''] = page.split('\n## Scenarios\n');
const [, table = ''] = chapter.split('| scenario | what happens |\n|---|---|\n');
const documented = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| ([\w-]+) \|/gm)].map(([, name]) => name);

test('docs/reliability.md has every scenario, in the plan’s order', () => {
  expect(documented).toEqual(scenarios.map(({ name }) => name));
});

test('docs/reliability.md has the plan’s number of crash points', () => {
  const text = chapter.replaceAll(/\s+/g, ' ');
  const of = (step: string) => Object.values(crashPoints).filter((point) => point.step === step).length;
  const [purchase, cancellation] = [of('purchase'), of('cancellation')];
  expect(purchase + cancellation).toBe(crashPointNames.length);
  expect(text).toContain(
    `of the ${crashPointNames.length} of a purchase (${purchase}) and a cancellation (${cancellation})`,
  );
  expect(text).toContain(`of the ${checkoutPointNames.length} of a visitor's checkout`);
  expect(text).toContain(`the ${rescuePointNames.length} of its rescue`);
  expect(text).toContain(`of the ${commandPointNames.length} of every other command and reaction`);
  expect(text).toContain(`of the ${accessPointNames.length} of signing in, API keys and usage`);
  expect(text).toContain(`The ${Object.keys(crashPoints).length} named steps`);
});

test('docs/reliability.md has every planted bug, in the order of play', () => {
  const [, after = ''] = page.split('<!-- controls: begin -->\n');
  const rows = (after.split('\n<!-- controls: end -->')[0] ?? '').split('\n').slice(2);
  const documented = rows.map((row) => row.split(' | ').slice(0, 4).join(' | '));
  const planted = controls.map(({ name, bug, mutations: [first], engines, scenario }) => {
    const file = first?.file ?? '';
    return `| ${bug} (\`${name}\`) | [${file}](../${file}) | ${engines} | ${scenario.name}`;
  });
  expect(documented).toEqual(planted);
});
