import type { Description, Schema } from '@boxoffice/codegen';
import { getOwnMember } from '@boxoffice/runtime';
import type { Index } from '@boxoffice/store';
import { compareDescriptions, type Finding } from './descriptions.ts';
import type { Process, Published } from './processes.ts';
import { compareSchemas } from './schemas.ts';

type Facts = Readonly<Record<string, { readonly schema: Schema }>>;

type Queues = Readonly<Record<string, readonly string[]>>;

type Collections = Readonly<Record<string, readonly Index[]>>;

/** The facts of a release, and the types that it consumes, by queue. */
export interface Events {
  readonly version: string;
  readonly publishes: Readonly<Record<string, Published>>;
  readonly consumes: Readonly<Record<string, readonly string[]>>;
}

/** The contracts of a process at one moment; of its last release they are the files of its folder's `released/`. */
export interface Snapshot {
  readonly openapi: Description;
  readonly internal: Description;
  readonly events: Events;
  readonly collections: Readonly<Record<string, readonly Index[]>>;
}

export function buildSnapshot({ version, openapi, internal, publishes, consumes, collections }: Process): Snapshot {
  return {
    openapi: openapi(),
    internal: internal(),
    events: { version, publishes, consumes },
    collections: Object.fromEntries(collections.map((one) => [one.name, one.indexes])),
  };
}

export interface Break extends Finding {
  readonly process: string;
  /** The callers, consumers or instances that it breaks. */
  readonly hurts: readonly string[];
}

export type Dependent = Pick<Process, 'name' | 'calls' | 'consumes'>;

/** One that breaks a partner, consumer, caller, or instances of the earlier release. What is not used breaks none. */
export function findBreaks(
  { name, callers }: Pick<Process, 'name' | 'callers'>,
  before: Snapshot,
  now: Snapshot,
  dependents: readonly Dependent[],
): Break[] {
  const nameBreaks = (found: readonly Finding[], hurts: readonly string[]): Break[] =>
    hurts.length > 0 ? found.map(({ where, what }) => ({ where, what, process: name, hurts })) : [];
  return [
    ...nameBreaks(compareDescriptions(before.openapi, now.openapi), [callers]),
    ...compareDescriptions(before.internal, now.internal).flatMap((found) =>
      nameBreaks([found], callersOf(dependents, name, found.operation)),
    ),
    ...compareFacts(before.events.publishes, now.events.publishes).flatMap((found) =>
      nameBreaks([found], consumersOf(dependents, found.type)),
    ),
    ...nameBreaks(
      [
        ...compareQueues(before.events.consumes, now.events.consumes),
        ...compareIndexes(before.collections, now.collections),
      ],
      [`${name} ${before.events.version} on the same data`],
    ),
  ];
}

const nameIndex = (index: Index): string => `${index.unique ? 'unique ' : ''}index ${index.name}`;

/** A client is generated for exactly the listed operations, and the authorizer issues identities for no other. */
const callersOf = (dependents: readonly Dependent[], provider: string, operationId: string): string[] =>
  dependents.filter(({ calls }) => calls[provider]?.includes(operationId)).map(({ name }) => name);

/** The changes of a process's facts that a consumer may notice, by the type of the fact. */
const compareFacts = (before: Facts, after: Facts): (Finding & { readonly type: string })[] =>
  Object.entries(before).flatMap(([type, was]) => {
    const is = getOwnMember(after, type);
    const where = `fact ${type}`;
    if (!is) return [{ type, where, what: 'is no longer published' }];
    return compareSchemas(was.schema, is.schema, 'answer').map(({ path, what }) => ({
      type,
      where,
      what: `${path} ${what}`,
    }));
  });

const consumersOf = (dependents: readonly Dependent[], type: string): string[] =>
  dependents.flatMap(({ name, consumes }) =>
    Object.entries(consumes).flatMap(([queue, types]) => (types.includes(type) ? [`${name} (${queue})`] : [])),
  );

/** Queues, and facts in them, that only the last release consumes: their messages would stay unread. */
const compareQueues = (before: Queues, after: Queues): Finding[] =>
  Object.entries(before).flatMap(([queue, types]) => {
    const where = `queue ${queue}`;
    const now = after[queue];
    if (!now) return [{ where, what: 'is no longer served: its messages stay unread' }];
    return types.filter((type) => !now.includes(type)).map((type) => ({ where, what: `gets ${type} no more` }));
  });

/** Removed ones that instances of the last release need, and new ones that refuse their documents. */
const compareIndexes = (before: Collections, after: Collections): Finding[] =>
  Object.entries(before).flatMap(([collection, was]) => {
    const where = `collection ${collection}`;
    const is = after[collection];
    if (!is) return [{ where, what: 'is gone' }];
    const lost = was.filter((one) => !is.some((other) => other.name === one.name && same(one, other)));
    const stricter = is.filter((one) => one.unique && !was.some((other) => other.unique && same(one, other)));
    return [
      ...lost.map((index) => ({ where, what: `${nameIndex(index)} is missing or different` })),
      ...stricter.map((index) => ({ where, what: `${nameIndex(index)} is new: documents may collide in it` })),
    ];
  });

const same = (one: Index, other: Index): boolean =>
  JSON.stringify([one.fields, one.unique ?? false, one.acrossInstitutions ?? false]) ===
  JSON.stringify([other.fields, other.unique ?? false, other.acrossInstitutions ?? false]);
