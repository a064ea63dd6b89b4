import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { controls } from '../src/controls.ts';
import { crashPointNamed } from '../src/deployment/crash-points.ts';
import { mutated } from '../src/inside/mutations.ts';

const ROOT = new URL('../../../', import.meta.url);

test.each(controls.map((control) => [control.name, control] as const))(
  'the bug %s changes its sources, and they can still be loaded',
  (_, { mutations, points = [] }) => {
    for (const [file, own = []] of Object.entries(Object.groupBy(mutations, (mutation) => mutation.file))) {
      const changed = own.reduce(mutated, readFileSync(new URL(file, ROOT), 'utf8'));
      expect(stripTypeScriptTypes(changed)).not.toBe('');
    }
    for (const point of points) expect(crashPointNamed(point)).toBeDefined();
  },
);

describe('a mutation is refused', () => {
  const mutation = { file: 'some.ts', from: 'one', to: 'two' };
  test('if its text is absent', () => expect(() => mutated('three', mutation)).toThrow(/some\.ts .* not 0 times/));
  test('if its text is there twice', () => expect(() => mutated('one one', mutation)).toThrow(/not 2 times/));
});
