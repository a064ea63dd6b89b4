import { operationsOf } from '@boxoffice/codegen';
import { type Process, processes, type Snapshot } from '@boxoffice/contracts';
import { releasedOf, withdrawnOf } from './snapshot.ts';
import { entryFor, isHigher, saysThatItBreaks } from './version.ts';

/** The internal operations that a process calls and that its peer's last release lacks. */
const aheadOf = ({ calls }: Process, { together, lastOf = releasedOf }: ReleaseRules): string[] =>
  Object.entries(calls).flatMap(([provider, operations]) => {
    const peer = processes.find((one) => one.name === provider);
    const released = peer && lastOf(peer);
    if (!released || together.includes(provider)) return [];
    const known = [...operationsOf(released.internal).values()].map(({ operation }) => operation.operationId);
    return operations
      .filter((operation) => !known.includes(operation))
      .map((one) => `it calls ${one}, which ${provider} ${released.events.version} lacks: release ${provider} first`);
  });

interface ReleaseRules {
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
    ...(entry.text === '' ? [`CHANGELOG.md has nothing below "## ${version}"`] : []),
    ...(entry.dated || replace || entry.text === '' ? [] : [`CHANGELOG.md gives ${version} no date`]),
    ...aheadOf(process, rules),
  ];
};
