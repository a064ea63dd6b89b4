import type { Db, Document as Stage } from 'mongodb';
import type { Waiting } from '../port.ts';
import { ORPHANAGE, type Schema } from './record.ts';

/** The earliest instant in a member of a collection's records, by the index of the member. */
const lookUpEarliest = (from: string, member: '_dueAt' | '_pending', as: string): Stage => ({
  $lookup: {
    from,
    pipeline: [
      { $match: { [member]: { $gt: 0 } } },
      { $sort: { [member]: 1 } },
      { $limit: 1 },
      { $project: { _id: 0, at: `$${member}` } },
    ],
    as,
  },
});

/** Whatever the collection holds, one document, for the stages that follow. */
const ONE: readonly Stage[] = [{ $limit: 1 }, { $facet: { none: [{ $count: 'none' }] } }, { $project: { none: 0 } }];

/** One command: each costs a process without work a millisecond or two of its processor. */
export function createWaiting(database: Db, schemas: readonly Schema[]): () => Promise<Waiting> {
  const dueOf = schemas.filter(({ work }) => work.size > 0).map(({ name }) => name);
  const eventsOf = [...schemas.map(({ name }) => name), ORPHANAGE];
  const stages = [
    ...ONE,
    ...dueOf.map((name, nth) => lookUpEarliest(name, '_dueAt', `due${nth}`)),
    ...eventsOf.map((name, nth) => lookUpEarliest(name, '_pending', `event${nth}`)),
  ];
  return async () => {
    const orphanage = database.collection(ORPHANAGE);
    const [found = {}] = await orphanage.aggregate<Record<string, readonly { at: number }[]>>(stages).toArray();
    const due = dueOf.flatMap((name, nth) => (found[`due${nth}`] ?? []).map(({ at }) => [name, at] as const));
    const events = eventsOf.flatMap((_, nth) => (found[`event${nth}`] ?? []).map(({ at }) => at));
    return { due: Object.fromEntries(due), ...(events.length > 0 && { event: Math.min(...events) }) };
  };
}
