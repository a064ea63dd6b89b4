import { existsSync, readFileSync } from 'node:fs';
import type { Process } from './processes.ts';
import { fileOf } from './snapshot.ts';
import { entryOf } from './version.ts';

type Described = Pick<Process, 'folder' | 'version'>;

/** The CHANGELOG's entry for a version of a process; empty without entry or file. */
export const entryFor = ({ folder }: Pick<Process, 'folder'>, version: string): ReturnType<typeof entryOf> => {
  const file = fileOf({ folder }, 'CHANGELOG.md');
  return entryOf(existsSync(file) ? readFileSync(file, 'utf8') : '', version);
};

/** The missing CHANGELOG entries of the current and of the released version, in words. */
export const unsaid = (process: Described, released: string): string[] => {
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
