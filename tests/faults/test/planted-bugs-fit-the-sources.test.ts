import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { readCommandLine } from '../src/command-line.ts';
import { shows } from '../src/controls/control.ts';
import { controls } from '../src/controls/index.ts';
import { mutated } from '../src/inside/mutations.ts';
import type { Mutation } from '../src/inside/orders.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

/** All mutations of one control in one file, as the process applies them. */
const filesOf = (mutations: readonly Mutation[]): (readonly [string, readonly Mutation[]])[] =>
  [...new Set(mutations.map(({ file }) => file))].map((file) => [file, mutations.filter((one) => one.file === file)]);

test.each(controls.map(({ name, mutations }) => [name, mutations] as const))(
  'the bug %s changes its sources, and they can still be loaded',
  (_, mutations) => {
    for (const [file, own] of filesOf(mutations)) {
      const source = read(file);
      const changed = own.reduce(mutated, source);
      expect(changed).not.toBe(source);
      expect(stripTypeScriptTypes(changed)).not.toBe('');
    }
  },
);

describe('a mutation is refused', () => {
  const mutation = { file: 'some.ts', from: 'one', to: 'two' };
  test('if its text is absent', () => expect(() => mutated('three', mutation)).toThrow(/some\.ts .* not 0 times/));
  test('if its text is there twice', () => expect(() => mutated('one one', mutation)).toThrow(/not 2 times/));
});

test('an expectation of the scenario shows a bug only if the control names it', () => {
  const leak = { invariant: 'round', text: "another institution's data: an order" } as const;
  expect(shows({}, leak)).toBe(false);
  expect(shows({ expectation: /another institution/ }, leak)).toBe(true);
  expect(shows({ expectation: /another institution/ }, { invariant: 'round', text: 'never reached' })).toBe(false);
  expect(shows({}, { invariant: 'I1', text: '' })).toBe(true);
});

test('the names of controls are unique, and --control chooses among them', () => {
  const names = controls.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const known = { scenarios: ['kills'], rows: [1], controls: names };
  expect(readCommandLine(['--controls'], known)).toMatchObject({ mode: 'controls', controls: names });
  expect(() => readCommandLine(['--control', String(names[0])], known)).toThrow('--control needs --controls');
  expect(() => readCommandLine(['--controls', '--row', '1'], known)).toThrow('--row needs --plan');
  expect(() => readCommandLine(['--controls', '--minutes', '1'], known)).toThrow('does not go with --controls');
  expect(() => readCommandLine(['--controls', '--control', 'none'], known)).toThrow('no control none');
});
