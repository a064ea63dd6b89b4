import type { Index } from '@boxoffice/store';
import type { Finding } from './finding.ts';

interface Indexed {
  readonly indexes: readonly Index[];
}

const same = (one: Index, other: Index): boolean =>
  JSON.stringify([one.fields, one.unique ?? false, one.acrossInstitutions ?? false]) ===
  JSON.stringify([other.fields, other.unique ?? false, other.acrossInstitutions ?? false]);

const named = (index: Index): string => `${index.unique ? 'unique ' : ''}index ${index.name}`;

/**
 * What of the indexes changed so that instances of the last release, on the same data, lose one that they need, or that documents which
 * they write are refused. A new index that is not unique harms nobody: both engines build it while they serve.
 */
export const compareIndexes = (
  before: Readonly<Record<string, Indexed>>,
  after: Readonly<Record<string, Indexed>>,
): Finding[] =>
  Object.entries(before).flatMap(([collection, was]) => {
    const where = `collection ${collection}`;
    const is = after[collection];
    if (!is) return [{ where, what: 'is gone' }];
    const lost = was.indexes.filter((one) => !is.indexes.some((other) => other.name === one.name && same(one, other)));
    const stricter = is.indexes.filter(
      (one) => one.unique && !was.indexes.some((other) => other.unique && same(one, other)),
    );
    return [
      ...lost.map((index) => ({ where, what: `${named(index)} is gone or another` })),
      ...stricter.map((index) => ({ where, what: `${named(index)} is new: documents may collide in it` })),
    ];
  });
