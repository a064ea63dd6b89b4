import { type Break, buildSnapshot, findBreaks, processes } from '@boxoffice/contracts';
import { dereference } from '@boxoffice/http';

type Json = ReturnType<typeof JSON.parse>;

/** The parts of a description that a change reaches, each by the method and path of an operation. */
export interface Described {
  readonly operation: (name: string) => Json;
  /** The schema of the operation's body. */
  readonly body: (name: string) => Json;
  /** The schema of the data of its 200. */
  readonly data: (name: string) => Json;
}

/** The snapshot of a current process, open to changes. */
export interface Changeable extends Described {
  /** The same of internal operations. */
  readonly internal: Described;
  readonly paths: Json;
  /** The schema of a fact. */
  readonly fact: (type: string) => Json;
  readonly facts: Json;
  readonly queues: Json;
  /** The indexes of a collection. */
  readonly indexes: (collection: string) => Json;
}

export type Change = (its: Changeable) => void;

/** Removes an element of a list. */
export function removeElement(list: string[], one: string): void {
  list.splice(list.indexOf(one), 1);
}

/** The snapshots of the current processes, without references, so that a change reaches one operation only. */
const snapshots = new Map(
  processes.map((process) => {
    const snapshot = buildSnapshot({ ...process, version: '0.0.9' });
    const [openapi, internal] = [snapshot.openapi, snapshot.internal].map((one) => dereference(one));
    return [process.name, { process, snapshot: { ...snapshot, openapi, internal } as Json }];
  }),
);

const JSON_TYPE = 'application/json';

/** The comparison's findings when this change is made to a current process. */
export function findBreaksAfter(name: string, change: Change): Break[] {
  const { process, snapshot } = snapshots.get(name) ?? {};
  if (!process) throw new Error(`there is no ${name}`);
  const after = JSON.parse(JSON.stringify(snapshot)) as Json;
  change({
    ...describedIn(after.openapi),
    internal: describedIn(after.internal),
    paths: after.openapi.paths,
    fact: (type) => after.events.publishes[type].schema,
    facts: after.events.publishes,
    queues: after.events.consumes,
    indexes: (collection) => after.collections[collection],
  });
  return findBreaks(process, snapshot, after, processes);
}

const describedIn = (document: Json): Described => {
  const operation: Described['operation'] = (wanted) => {
    const [method = '', path = ''] = wanted.split(' ');
    const found = document.paths[path]?.[method.toLowerCase()];
    if (!found) throw new Error(`there is no ${wanted}`);
    return found;
  };
  return {
    operation,
    body: (name) => operation(name).requestBody.content[JSON_TYPE].schema,
    data: (name) => operation(name).responses[200].content[JSON_TYPE].schema.properties.data,
  };
};
