// rule 2: A resource name is a plural lower-case noun | libs/http/src/operation.ts

import { describe, expect, test } from '@jest/globals';
import { paths } from './descriptions.ts';

/** Names that the specification itself has in the singular, and documents that are no resources of either family. */
const SINGULAR = new Set(['catalog', 'shopping-cart', 'auth', 'svc', 'tnwr', 'v1', 'v3', 'vexp']);

describe('the path of every operation', () => {
  test('has lower-case words, joined by hyphens', () => {
    const words = paths.flatMap((path) => path.split('/')).filter((word) => word !== '' && !word.startsWith('{'));
    expect(words.length).toBeGreaterThan(100);
    expect(
      words.filter((word) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(word) && !/^(\.well-known|openapi\.json)$/.test(word)),
    ).toEqual([]);
  });

  test('names a collection by a plural noun before the id of a record', () => {
    const collections = paths.flatMap((path) => [...path.matchAll(/([^/]+)\/\{/g)].map(([, name = '']) => name));
    expect(collections.length).toBeGreaterThan(20);
    expect(collections.filter((name) => !SINGULAR.has(name) && !/s(-of-sale)?$/.test(name))).toEqual([]);
  });
});
