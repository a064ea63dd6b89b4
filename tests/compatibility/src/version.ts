import { readFileSync } from 'node:fs';
import type { Process } from '@boxoffice/contracts';
import { fileOf } from './snapshot.ts';

/** Whether the later version is higher than the earlier one. Both are three numbers. */
export const isHigher = (later: string, earlier: string): boolean => {
  const [one, other] = [later, earlier].map((version) => version.split('.').map(Number));
  for (const [index, part] of (one ?? []).entries()) {
    const difference = part - (other?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
};

/** Whether the later version announces breaking changes: by the major number, or before 1.0.0 by the minor one. */
export const saysThatItBreaks = (later: string, earlier: string): boolean => {
  const places = earlier.startsWith('0.') ? 2 : 1;
  const head = (version: string): string => [...version.split('.').slice(0, places), '0', '0'].slice(0, 3).join('.');
  return isHigher(head(later), head(earlier));
};

/** An entry of the CHANGELOG: its text, and whether its heading has a date. */
export interface Entry {
  readonly text: string;
  readonly dated: boolean;
}

/**
 * The entry for a version: the text below `## 0.2.0, 2027-01-31`, which is of all processes, or below a heading that
 * names the process (`## orders, pos 0.2.1, 2027-01-31`). Empty if there is none.
 */
export const entryOf = (changelog: string, version: string, process?: string): Entry => {
  const found = changelog.split(/^## /m).find((section) => {
    const [, names = '', of] = /^([a-z, ]*?) ?(\d[\d.]*)/.exec(section) ?? [];
    return of === version && (names === '' || names.split(', ').some((name) => name === process));
  });
  const [heading = '', ...lines] = found?.split('\n') ?? [];
  return { text: lines.join('\n').trim(), dated: /\d{4}-\d\d-\d\d/.test(heading) };
};

/** The CHANGELOG's entry for a version of a process. */
export const entryFor = ({ name }: Pick<Process, 'name'>, version: string): Entry =>
  entryOf(readFileSync(fileOf({ folder: '.' }, 'CHANGELOG.md'), 'utf8'), version, name);

/** The missing CHANGELOG entries of the current and of the released version, in words. */
export const missingEntries = (process: Pick<Process, 'name' | 'folder' | 'version'>, released: string): string[] => {
  const { name, folder, version } = process;
  return [
    ...(entryFor(process, version).text === ''
      ? [`${folder}/package.json says ${version}, and CHANGELOG.md has nothing below "## ${version}"`]
      : []),
    ...(entryFor(process, released).dated
      ? []
      : [`${name} ${released} is released, and CHANGELOG.md has no dated entry for it`]),
  ];
};
