import type { Schema } from '@boxoffice/codegen';
import type { Index } from '@boxoffice/store';
import type { Finding } from './descriptions.ts';
import { compareSchemas } from './schemas.ts';

type Facts = Readonly<Record<string, { readonly schema: Schema }>>;

/** The changes of a process's facts that a consumer may notice, by the type of the fact. */
export const compareFacts = (before: Facts, after: Facts): (Finding & { readonly type: string })[] =>
  Object.entries(before).flatMap(([type, was]) => {
    const is = after[type];
    const where = `fact ${type}`;
    if (!is) return [{ type, where, what: 'is no longer published' }];
    return compareSchemas(was.schema, is.schema, 'answer').map(({ path, what }) => ({
      type,
      where,
      what: `${path} ${what}`,
    }));
  });

/** The types of facts by queue. */
type Queues = Readonly<Record<string, readonly string[]>>;

/** Queues, and facts in them, that only the last release consumes: their messages would stay unread. */
export const compareQueues = (before: Queues, after: Queues): Finding[] =>
  Object.entries(before).flatMap(([queue, types]) => {
    const where = `queue ${queue}`;
    const now = after[queue];
    if (!now) return [{ where, what: 'is no longer served: its messages stay unread' }];
    return types.filter((type) => !now.includes(type)).map((type) => ({ where, what: `gets ${type} no more` }));
  });

const same = (one: Index, other: Index): boolean =>
  JSON.stringify([one.fields, one.unique ?? false, one.acrossInstitutions ?? false]) ===
  JSON.stringify([other.fields, other.unique ?? false, other.acrossInstitutions ?? false]);

const named = (index: Index): string => `${index.unique ? 'unique ' : ''}index ${index.name}`;

/** The indexes by collection. */
type Collections = Readonly<Record<string, readonly Index[]>>;

/**
 * The changes of indexes that remove one which instances of the last release need on the same data, or that refuse
 * their documents. A new index that is not unique is harmless: both engines build it while they serve.
 */
export const compareIndexes = (before: Collections, after: Collections): Finding[] =>
  Object.entries(before).flatMap(([collection, was]) => {
    const where = `collection ${collection}`;
    const is = after[collection];
    if (!is) return [{ where, what: 'is gone' }];
    const lost = was.filter((one) => !is.some((other) => other.name === one.name && same(one, other)));
    const stricter = is.filter((one) => one.unique && !was.some((other) => other.unique && same(one, other)));
    return [
      ...lost.map((index) => ({ where, what: `${named(index)} is missing or different` })),
      ...stricter.map((index) => ({ where, what: `${named(index)} is new: documents may collide in it` })),
    ];
  });
