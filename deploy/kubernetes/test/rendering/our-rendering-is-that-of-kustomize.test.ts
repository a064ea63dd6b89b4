import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { applicable } from '../folders.ts';
import { merge, replaced } from '../kustomize/merge.ts';
import { kustomize, reallyRendered } from '../kustomize/real.ts';
import { rendered } from '../kustomize/render.ts';
import { nameOf, type Resource } from '../kustomize/tree.ts';

const byName = (resources: readonly Resource[]) =>
  Object.fromEntries(resources.map((resource) => [nameOf(resource), resource]));

const real = kustomize;

describe('our rendering', () => {
  if (real) {
    test.each(applicable.map((folder) => [basename(folder), folder]))('of %s is that of kustomize', (_, folder) => {
      expect(byName(rendered(folder))).toEqual(byName(reallyRendered(real, folder)));
    });
  } else {
    process.stdout.write('not exercised: there is neither kustomize nor kubectl to compare the rendering with\n');
  }

  test.each(applicable.map((folder) => [basename(folder), folder]))('understands everything in %s', (_, folder) => {
    expect(rendered(folder).length).toBeGreaterThan(0);
  });

  test('merges what has a key, replaces other lists, removes by null', () => {
    const before = {
      env: [
        { name: 'C', value: '4' },
        { name: 'A', value: '1' },
      ],
      args: ['a'],
      gone: 1,
    };
    const patch = {
      env: [
        { name: 'A', value: '2' },
        { name: 'B', value: '3' },
      ],
      args: ['b'],
      gone: null,
    };
    expect(merge(before, patch)).toEqual({ env: [...patch.env, { name: 'C', value: '4' }], args: ['b'] });
  });

  test('refuses a patch of something that is not there, and directives that it does not know', () => {
    expect(() => replaced({ spec: {} }, { op: 'replace', path: '/spec/replicas', value: 3 })).toThrow('does not exist');
    expect(() => replaced({}, { op: 'remove', path: '/spec' })).toThrow('only replace');
    expect(() => merge({}, { $retainKeys: ['a'] })).toThrow('$retainKeys');
  });
});
