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
 * The changes of indexes that remove one which instances of the last release need on the same data, or that refuse
 * their documents. A new index that is not unique is harmless: both engines build it while they serve.
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
      ...lost.map((index) => ({ where, what: `${named(index)} is missing or different` })),
      ...stricter.map((index) => ({ where, what: `${named(index)} is new: documents may collide in it` })),
    ];
  });
