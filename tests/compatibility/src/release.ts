import { readFileSync } from 'node:fs';
import { listOperations } from '@boxoffice/codegen';
import { type Break, buildSnapshot, findBreaks, type Process, processes, type Snapshot } from '@boxoffice/contracts';
import { readReleasedSnapshot, readWithdrawn, toFileUrl, type Withdrawn } from './snapshot.ts';

export function isHigher(later: string, earlier: string): boolean {
  const [one, other] = [later, earlier].map((version) => version.split('.').map(Number));
  for (const [index, part] of (one ?? []).entries()) {
    const difference = part - (other?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Whether the later version announces breaking changes: by the major number, or before 1.0.0 by the minor one. */
export function isBreakingVersion(later: string, earlier: string): boolean {
  const places = earlier.startsWith('0.') ? 2 : 1;
  const head = (version: string): string => [...version.split('.').slice(0, places), '0', '0'].slice(0, 3).join('.');
  return isHigher(head(later), head(earlier));
}

interface Entry {
  readonly text: string;
  readonly dated: boolean;
}

/**
 * The entry for a version: the text below `## 0.2.0, 2027-01-31`, which is of all processes, or below a heading that
 * names the process (`## orders, pos 0.2.1, 2027-01-31`). Empty if there is none.
 */
export function parseEntry(changelog: string, version: string, process?: string): Entry {
  const found = changelog.split(/^## /m).find((section) => {
    const [, names = '', of] = /^([a-z, ]*?) ?(\d[\d.]*)/.exec(section) ?? [];
    return of === version && (names === '' || names.split(', ').some((name) => name === process));
  });
  const [heading = '', ...lines] = found?.split('\n') ?? [];
  return { text: lines.join('\n').trim(), dated: /\d{4}-\d\d-\d\d/.test(heading) };
}

export function readEntry({ name }: Pick<Process, 'name'>, version: string): Entry {
  return parseEntry(readFileSync(toFileUrl({ folder: '.' }, 'CHANGELOG.md'), 'utf8'), version, name);
}

export function listMissingEntries(process: Pick<Process, 'name' | 'folder' | 'version'>, released: string): string[] {
  const { name, folder, version } = process;
  return [
    ...(readEntry(process, version).text === ''
      ? [`${folder}/package.json says ${version}, and CHANGELOG.md has nothing below "## ${version}"`]
      : []),
    ...(readEntry(process, released).dated
      ? []
      : [`${name} ${released} is released, and CHANGELOG.md has no dated entry for it`]),
  ];
}

interface ReleaseRules {
  readonly together: readonly string[];
  /** Whether the current release is overwritten, which is allowed only before publication. */
  readonly replace: boolean;
  /** The last release of another process; default: the recorded one. */
  readonly lastOf?: (process: Process) => Snapshot | undefined;
}

/** The reasons against a release of a process; empty if there are none. Breaking changes are reported separately. */
export function listObjections(process: Process, rules: ReleaseRules): string[] {
  const { replace } = rules;
  const released = readReleasedSnapshot(process)?.events.version;
  const { version, folder } = process;
  const raised = released === undefined || isHigher(version, released) || (replace && version === released);
  const withdraws = readWithdrawn(process).length > 0;
  const admits = released === undefined || !withdraws || replace || isBreakingVersion(version, released);
  const entry = readEntry(process, version);
  const places = released?.startsWith('0.') ? 'second' : 'first';
  return [
    ...(raised ? [] : [`${folder}/package.json says ${version}, and ${released} is released: raise it`]),
    ...(admits ? [] : [`a change is withdrawn, and ${version} does not show it: raise its ${places} number`]),
    ...(entry.text === '' ? [`CHANGELOG.md has nothing below "## ${version}"`] : []),
    ...(entry.dated || replace || entry.text === '' ? [] : [`CHANGELOG.md gives ${version} no date`]),
    ...aheadOf(process, rules),
  ];
}

const aheadOf = ({ calls }: Process, { together, lastOf = readReleasedSnapshot }: ReleaseRules): string[] =>
  Object.entries(calls).flatMap(([provider, operations]) => {
    const peer = processes.find((one) => one.name === provider);
    const released = peer && lastOf(peer);
    if (!released || together.includes(provider)) return [];
    const known = [...listOperations(released.internal).values()].map(({ operation }) => operation.operationId);
    return operations
      .filter((operation) => !known.includes(operation))
      .map((one) => `it calls ${one}, which ${provider} ${released.events.version} lacks: release ${provider} first`);
  });

export function formatBreak({ process, where, what, hurts }: Break): string {
  return `${process}: ${where}: ${what}\n  breaks ${hurts.join(', ')}`;
}

/** The result of the comparison with the last releases. */
export interface Verdict {
  readonly breaks: readonly Break[];
  /** Breaks that are announced in `released/withdrawn.json`. */
  readonly announced: readonly Break[];
  readonly problems: readonly string[];
}

/** Separates announced breaks from unannounced ones; an announcement without a change is a problem. */
export function judge(found: readonly Break[], withdrawn: readonly Withdrawn[], file: string): Verdict {
  const changes = withdrawn.map(({ change }) => change);
  const idle = changes.filter((change) => !found.some((one) => changeOf(one) === change));
  return {
    breaks: found.filter((one) => !changes.includes(changeOf(one))),
    announced: found.filter((one) => changes.includes(changeOf(one))),
    problems: idle.map((change) => `${file}: no change "${change}" was found`),
  };
}

const changeOf = ({ where, what }: Break): string => `${where}: ${what}`;

export function computeVerdict(some: readonly Process[]): Verdict {
  const others = processes.map((one) => ({ ...one, consumes: readReleasedSnapshot(one)?.events.consumes ?? {} }));
  const all = some.map((process): Verdict => {
    const released = readReleasedSnapshot(process);
    if (!released)
      return { breaks: [], announced: [], problems: [`${process.name} has no ${process.folder}/released`] };
    const found = findBreaks(process, released, buildSnapshot(process), others);
    const verdict = judge(found, readWithdrawn(process), `${process.folder}/released/withdrawn.json`);
    return { ...verdict, problems: [...verdict.problems, ...listMissingEntries(process, released.events.version)] };
  });
  return {
    breaks: all.flatMap(({ breaks }) => breaks),
    announced: all.flatMap(({ announced }) => announced),
    problems: all.flatMap(({ problems }) => problems),
  };
}
