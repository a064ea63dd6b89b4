import { existsSync, readFileSync } from 'node:fs';
import type { Process } from './processes.ts';
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

/** The CHANGELOG's text below a version's heading (`## 0.2.0, 2027-01-31`), and whether the heading has a date. */
export const entryOf = (changelog: string, version: string): { readonly text: string; readonly dated: boolean } => {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => /^[\d.]+/.exec(section)?.[0] === version) ?? '';
  const [heading = '', ...lines] = found.split('\n');
  return { text: lines.join('\n').trim(), dated: /\d{4}-\d\d-\d\d/.test(heading) };
};

/** The CHANGELOG's entry for a version of a process; empty without entry or file. */
export const entryFor = ({ folder }: Pick<Process, 'folder'>, version: string): ReturnType<typeof entryOf> => {
  const file = fileOf({ folder }, 'CHANGELOG.md');
  return entryOf(existsSync(file) ? readFileSync(file, 'utf8') : '', version);
};

/** The missing CHANGELOG entries of the current and of the released version, in words. */
export const missingEntries = (process: Pick<Process, 'folder' | 'version'>, released: string): string[] => {
  const { folder, version } = process;
  const missing = entryFor(process, version).text === '';
  const undated = !entryFor(process, released).dated;
  return [
    ...(missing
      ? [`${folder}/package.json says ${version}, and ${folder}/CHANGELOG.md has nothing below "## ${version}"`]
      : []),
    ...(undated ? [`${released} is released, and ${folder}/CHANGELOG.md has no dated entry for it`] : []),
  ];
};
