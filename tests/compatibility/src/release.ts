import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { operationsOf } from '@boxoffice/codegen';
import { callsOf } from './callers.ts';
import { entryFor } from './changelog.ts';
import { type Process, processes } from './processes.ts';
import type { Recording } from './record.ts';
import { definitions } from './scenario/open-scenario.ts';
import {
  type Documents,
  type Events,
  fileOf,
  PARTS,
  type Part,
  releasedOf,
  type Snapshot,
  withdrawnOf,
} from './snapshot.ts';
import { isHigher, saysThatItBreaks } from './version.ts';

/** The internal operations that a process calls and that its peer's last release lacks. */
const aheadOf = (process: Process, { together: releasedNow, lastOf = releasedOf }: ReleaseRules): string[] =>
  callsOf(process.name, processes).flatMap(({ provider, operation, name }) => {
    const peer = processes.find((one) => one.name === provider);
    const released = peer && lastOf(peer);
    if (!released || releasedNow.includes(provider)) return [];
    const known = [...operationsOf(released.internal).values()].some((at) => at.operation.operationId === operation);
    return known
      ? []
      : [
          `it calls ${operation} (${name}), which ${provider} ${released.events.version} lacks: release ${provider} first`,
        ];
  });

export interface ReleaseRules {
  /** The names of the processes released together. */
  readonly together: readonly string[];
  /** Whether the current release is overwritten, which is allowed only before publication. */
  readonly replace: boolean;
  /** The last release of another process; default: the recorded one. */
  readonly lastOf?: (process: Process) => Snapshot | undefined;
}

/** The reasons against a release of a process; empty if there are none. Breaking changes are reported separately. */
export const objectionsTo = (process: Process, rules: ReleaseRules): string[] => {
  const { replace } = rules;
  const released = releasedOf(process)?.events.version;
  const { version, folder } = process;
  const raised = released === undefined || isHigher(version, released) || (replace && version === released);
  const withdraws = withdrawnOf(process).length > 0;
  const admits = released === undefined || !withdraws || replace || saysThatItBreaks(version, released);
  const entry = entryFor(process, version);
  const places = released?.startsWith('0.') ? 'second' : 'first';
  return [
    ...(raised ? [] : [`${folder}/package.json says ${version}, and ${released} is released: raise it`]),
    ...(admits ? [] : [`a change is withdrawn, and ${version} does not show it: raise its ${places} number`]),
    ...(entry.text === '' ? [`${folder}/CHANGELOG.md has nothing below "## ${version}"`] : []),
    ...(entry.dated || replace || entry.text === '' ? [] : [`${folder}/CHANGELOG.md gives ${version} no date`]),
    ...aheadOf(process, rules),
  ];
};

/** The services whose addresses a service is given: its own documents refer to theirs. */
const surroundingsOf = (name: string): string[] => {
  const { settings = {} } = (definitions as Readonly<Record<string, { readonly settings?: object }>>)[name] ?? {};
  return Object.keys(definitions).filter((other) => `${other}Url` in settings);
};

const documentsOf = ({ name, version, collections }: Process, { writtenAt, stored }: Recording): Documents => ({
  version,
  writtenAt,
  collections: Object.fromEntries(
    collections.map((one) => [one.name, { indexes: one.indexes, documents: stored[name]?.[one.name] ?? [] }]),
  ),
  surroundings: Object.fromEntries(surroundingsOf(name).map((other) => [other, stored[other] ?? {}])),
});

/** The current state of a process in the form of a snapshot. */
export const snapshotOf = (process: Process, recording: Recording): Snapshot => {
  const { version, publishes } = process;
  const events: Events = { version, publishes, consumes: recording.consumes(process) };
  return {
    openapi: process.openapi(),
    internal: process.internal(),
    events,
    documents: documentsOf(process, recording),
    formats: process.formats,
  };
};

/** A file of a snapshot: JSON with each reference on its own line. */
const written = (value: unknown, indent: number): string =>
  `${JSON.stringify(value, null, indent).replaceAll(/\{\s+("\$ref": "[^"]+")\s+\}/g, '{ $1 }')}\n`;

/** Writes the snapshot, or parts of it, as the new base of comparison. */
export const writeSnapshot = (process: Process, snapshot: Partial<Snapshot>): void => {
  mkdirSync(fileOf(process, 'released/'), { recursive: true });
  const parts = PARTS.filter((part: Part) => snapshot[part] !== undefined);
  for (const part of parts) {
    const indent = part === 'documents' ? 1 : 2;
    writeFileSync(fileOf(process, `released/${part}.json`), written(snapshot[part], indent));
  }
  if (parts.length === PARTS.length) rmSync(fileOf(process, 'released/withdrawn.json'), { force: true });
};
