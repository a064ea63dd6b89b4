import { dereferenced } from '@boxoffice/http';
import { type Break, breaksOf } from '../../src/breaks.ts';
import { processes } from '../../src/processes.ts';
import { snapshotOf } from '../../src/snapshot.ts';

type Json = ReturnType<typeof JSON.parse>;

/** The snapshot of a current process, open to changes. */
export interface Changeable {
  /** An operation of its description, by method and path. */
  readonly operation: (name: string) => Json;
  readonly internal: (name: string) => Json;
  readonly paths: Json;
  /** The schema of a fact. */
  readonly fact: (type: string) => Json;
  readonly facts: Json;
  readonly queues: Json;
  /** The indexes of a collection. */
  readonly indexes: (collection: string) => Json;
}

/** A change to a process, the part that it breaks, and a part of the finding's text. */
export type BreakingChange = readonly [
  what: string,
  process: string,
  change: (its: Changeable) => void,
  hurts: string,
  said: string,
];

/** Removes an element of a list. */
export const without = (list: string[], one: string): void => {
  list.splice(list.indexOf(one), 1);
};

const JSON_TYPE = 'application/json';

/** The schema of an operation's body. */
export const bodyOf = (operation: Json): Json => operation.requestBody.content[JSON_TYPE].schema;

/** The schema of the data of an answer. */
export const dataOf = (operation: Json, status = 200): Json =>
  operation.responses[status].content[JSON_TYPE].schema.properties.data;

const consumers = processes.map(({ name, consumes }) => [name, consumes] as const);

/** The snapshots of the current processes, without references, so that a change reaches one operation only. */
const snapshots = new Map(
  processes.map((process) => {
    const snapshot = snapshotOf({ ...process, version: '0.0.9' });
    const [openapi, internal] = [snapshot.openapi, snapshot.internal].map((one) => dereferenced(one));
    return [process.name, { process, snapshot: { ...snapshot, openapi, internal } as Json }];
  }),
);

/** The comparison's findings when this change is made to a current process. */
export const breaksAfter = (name: string, change: (its: Changeable) => void): Break[] => {
  const { process, snapshot } = snapshots.get(name) ?? {};
  if (!process) throw new Error(`there is no ${name}`);
  const after = JSON.parse(JSON.stringify(snapshot)) as Json;
  const at = (document: Json) => (wanted: string) => {
    const [method = '', path = ''] = wanted.split(' ');
    const found = document.paths[path]?.[method.toLowerCase()];
    if (!found) throw new Error(`there is no ${wanted}`);
    return found;
  };
  change({
    operation: at(after.openapi),
    internal: at(after.internal),
    paths: after.openapi.paths,
    fact: (type) => after.events.publishes[type].schema,
    facts: after.events.publishes,
    queues: after.events.consumes,
    indexes: (collection) => after.collections[collection],
  });
  return breaksOf(process, snapshot, after, consumers);
};

/** The comparison's findings when a current process is only described without references. */
export const breaksWithoutReferences = (name: string): Break[] => {
  const { process, snapshot } = snapshots.get(name) ?? {};
  return process ? breaksOf(process, snapshotOf(process), snapshot, consumers) : [];
};
