import type { Description } from '@boxoffice/codegen';
import type { Index } from '@boxoffice/store';
import { compareFacts, compareIndexes, compareQueues } from './compare/data.ts';
import { compareDescriptions, type Finding } from './compare/descriptions.ts';
import type { Process, Published } from './processes.ts';

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
  /** The indexes by collection. */
  readonly collections: Readonly<Record<string, readonly Index[]>>;
}

/** The current state of a process in the form of a snapshot. */
export const snapshotOf = ({ version, openapi, internal, publishes, consumes, collections }: Process): Snapshot => ({
  openapi: openapi(),
  internal: internal(),
  events: { version, publishes, consumes },
  collections: Object.fromEntries(collections.map((one) => [one.name, one.indexes])),
});

/** A breaking change. */
export interface Break extends Finding {
  /** The process that changed. */
  readonly process: string;
  /** The callers, consumers or instances that it breaks. */
  readonly hurts: readonly string[];
}

/** What a process uses of others. */
export type Dependent = Pick<Process, 'name' | 'calls' | 'consumes'>;

/**
 * The processes that call an internal operation. A client is generated for exactly the listed operations, so that no
 * other call compiles, and the authorizer issues identities for no other.
 */
export const callersOf = (dependents: readonly Dependent[], provider: string, operationId: string): string[] =>
  dependents.filter(({ calls }) => calls[provider]?.includes(operationId)).map(({ name }) => name);

/** The processes that consume a type of fact, each with its queue. */
export const consumersOf = (dependents: readonly Dependent[], type: string): string[] =>
  dependents.flatMap(({ name, consumes }) =>
    Object.entries(consumes).flatMap(([queue, types]) => (types.includes(type) ? [`${name} (${queue})`] : [])),
  );

/**
 * Every change of a process that breaks a partner, a consumer, a caller, or instances of the earlier release beside
 * this one. What no other process calls or consumes breaks none.
 */
export const breaksOf = (
  { name, callers }: Pick<Process, 'name' | 'callers'>,
  before: Snapshot,
  now: Snapshot,
  dependents: readonly Dependent[],
): Break[] => {
  const named = (found: readonly Finding[], hurts: readonly string[]): Break[] =>
    hurts.length > 0 ? found.map(({ where, what }) => ({ where, what, process: name, hurts })) : [];
  return [
    ...named(compareDescriptions(before.openapi, now.openapi), [callers]),
    ...compareDescriptions(before.internal, now.internal).flatMap((found) =>
      named([found], callersOf(dependents, name, found.operation)),
    ),
    ...compareFacts(before.events.publishes, now.events.publishes).flatMap((found) =>
      named([found], consumersOf(dependents, found.type)),
    ),
    ...named(
      [
        ...compareQueues(before.events.consumes, now.events.consumes),
        ...compareIndexes(before.collections, now.collections),
      ],
      [`${name} ${before.events.version} on the same data`],
    ),
  ];
};
