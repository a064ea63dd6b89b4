import { existsSync, readFileSync } from 'node:fs';
import type { Description } from '@boxoffice/codegen';
import type { Index } from '@boxoffice/store';
import type { Formats } from './compare/formats.ts';
import type { Process, Published } from './processes.ts';

/** The consumption of a process: its queue (or the broadcast), its facts, and the members of each that it reads. */
export interface Consumed {
  readonly queue: string;
  readonly reads: Readonly<Record<string, readonly string[]>>;
}

/** The facts of a release: `released/events.json`. */
export interface Events {
  readonly version: string;
  readonly publishes: Readonly<Record<string, Published>>;
  readonly consumes: readonly Consumed[];
}

/** A stored document with the store's metadata. */
export type Stored = Readonly<Record<string, unknown>> & { readonly id: string; readonly institution: string };

/** The documents of a release: `released/documents.json`. */
export interface Documents {
  readonly version: string;
  /** Epoch milliseconds of the documents' creation. */
  readonly writtenAt: number;
  readonly collections: Readonly<
    Record<string, { readonly indexes: readonly Index[]; readonly documents: readonly Stored[] }>
  >;
  /** The documents of the services that it calls, of the same moment: by service and collection. */
  readonly surroundings: Readonly<Record<string, Readonly<Record<string, readonly Stored[]>>>>;
}

/** The snapshot of a process's last release, in its folder's `released/`. */
export interface Snapshot {
  readonly openapi: Description;
  readonly internal: Description;
  readonly events: Events;
  readonly documents: Documents;
  readonly formats: Formats;
}

/** An intended finding: `released/withdrawn.json`. */
export interface Withdrawn {
  /** The finding's `where: what`, as the check prints it. */
  readonly change: string;
  /** Why it breaks no one. */
  readonly reason: string;
}

export const ROOT = new URL('../../../', import.meta.url);

/** The location of a process's file. */
export const fileOf = ({ folder }: Pick<Process, 'folder'>, name: string): URL => new URL(`${folder}/${name}`, ROOT);

/** The files of a snapshot. */
export const PARTS = ['openapi', 'internal', 'events', 'documents', 'formats'] as const;
export type Part = (typeof PARTS)[number];

const read = <Value>(file: URL): Value => JSON.parse(readFileSync(file, 'utf8')) as Value;

/** The snapshot of the process's last release; undefined before the first. */
export const releasedOf = (process: Pick<Process, 'folder'>): Snapshot | undefined => {
  if (!existsSync(fileOf(process, 'released/openapi.json'))) return undefined;
  const none: Formats = { writes: {}, reads: {} };
  const parts = PARTS.filter((part) => existsSync(fileOf(process, `released/${part}.json`))).map((part) => [
    part,
    read(fileOf(process, `released/${part}.json`)),
  ]);
  return { formats: none, ...Object.fromEntries(parts) } as unknown as Snapshot;
};

/** Whether its last release includes the formats of tokens and messages. */
export const hasFormats = (process: Pick<Process, 'folder'>): boolean =>
  existsSync(fileOf(process, 'released/formats.json'));

/** The intended breaking changes of the next release. */
export const withdrawnOf = (process: Pick<Process, 'folder'>): readonly Withdrawn[] => {
  const file = fileOf(process, 'released/withdrawn.json');
  return existsSync(file) ? read<Withdrawn[]>(file) : [];
};
