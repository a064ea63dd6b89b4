import type { Description } from '@boxoffice/codegen';
import type { Index } from '@boxoffice/store';
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
