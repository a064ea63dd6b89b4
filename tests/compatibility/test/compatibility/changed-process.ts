import { dereferenced } from '@boxoffice/http';
import { type Break, breaksOf, type Now, nowOf } from '../../src/breaks.ts';
import { processes } from '../../src/processes.ts';
import { releasedOf, type Snapshot } from '../../src/snapshot.ts';

type Json = ReturnType<typeof JSON.parse>;

/** A current process, open to changes. */
export interface Changeable {
  /** An operation of its description, by method and path. */
  readonly operation: (name: string) => Json;
  readonly internal: (name: string) => Json;
  readonly paths: Json;
  /** The schema of a fact. */
  readonly fact: (type: string) => Json;
  readonly facts: Json;
  readonly queues: Json;
  /** A token or message format, as the process writes and reads it. */
  readonly writes: (name: string) => Json;
  readonly reads: (name: string) => Json;
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

const consumes = ({ consumes: all }: Now, released: Snapshot | undefined) =>
  all.map(({ queue }) => released?.events.consumes.find((one) => one.queue === queue) ?? { queue, reads: {} });

const nows = processes.map((process) => ({ process, now: nowOf(process), released: releasedOf(process) }));
const consumers = nows.map(({ now, released }) => ({ name: now.name, consumes: consumes(now, released) }));

const partners = processes.map(({ name, formats }) => ({ name, version: '0.0.9', formats }));

const JSON_TYPE = 'application/json';

/** The schema of an operation's body. */
export const bodyOf = (operation: Json): Json => operation.requestBody.content[JSON_TYPE].schema;

/** The schema of the data of an answer. */
export const dataOf = (operation: Json, status = 200): Json =>
  operation.responses[status].content[JSON_TYPE].schema.properties.data;

/** The comparison's findings when this change is made to a current process. */
export const breaksAfter = (name: string, change: (its: Changeable) => void): Break[] => {
  const { process, now } = nows.find((one) => one.process.name === name) ?? {};
  if (!process || !now) throw new Error(`there is no ${name}`);
  const [openapi, internal] = [process.openapi(), process.internal()].map((one) => dereferenced(one) as Json);
  const publishes = structuredClone(process.publishes) as Json;
  // Without the functions that bring documents of earlier releases into today's shape.
  const collections = JSON.parse(JSON.stringify(process.collections)) as Json;
  const queues = structuredClone(now.consumes) as Json;
  const formats = structuredClone(process.formats) as Json;
  const at = (document: Json) => (wanted: string) => {
    const [method = '', path = ''] = wanted.split(' ');
    const found = document.paths[path]?.[method.toLowerCase()];
    if (!found) throw new Error(`there is no ${wanted}`);
    return found;
  };
  change({
    operation: at(openapi),
    internal: at(internal),
    paths: openapi.paths,
    fact: (type) => publishes[type].schema,
    facts: publishes,
    queues,
    writes: (format) => formats.writes[format],
    reads: (format) => formats.reads[format],
    indexes: (collection) => collections.find((one: Json) => one.name === collection).indexes,
  });
  const documents = process.collections.map((one) => [one.name, { indexes: one.indexes, documents: [] }]);
  const before: Snapshot = {
    openapi: process.openapi(),
    internal: process.internal(),
    events: {
      version: '0.0.9',
      publishes: process.publishes,
      consumes: consumers.find((one) => one.name === name)?.consumes ?? [],
    },
    documents: { version: '0.0.9', writtenAt: 0, collections: Object.fromEntries(documents), surroundings: {} },
    formats: process.formats,
  };
  const after: Now = {
    ...now,
    openapi: () => openapi,
    internal: () => internal,
    publishes,
    collections,
    consumes: queues,
    formats,
  };
  return breaksOf(after, before, { consumers, partners });
};
