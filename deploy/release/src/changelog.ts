import { existsSync, readFileSync } from 'node:fs';
import type { Process } from './processes.ts';
import { fileOf } from './snapshot.ts';
import { entryOf } from './version.ts';

type Described = Pick<Process, 'folder' | 'version'>;

/** What the CHANGELOG of a process says of a version; an empty text if there is no such entry, or no file. */
export const entryFor = ({ folder }: Pick<Process, 'folder'>, version: string): ReturnType<typeof entryOf> => {
  const file = fileOf({ folder }, 'CHANGELOG.md');
  return entryOf(existsSync(file) ? readFileSync(file, 'utf8') : '', version);
};

/** What the CHANGELOG should say of the version that is here and of the one that was released, and does not; in words. */
export const unsaid = (process: Described, released: string): string[] => {
  const { folder, version } = process;
  const missing = entryFor(process, version).text === '';
  const undated = !entryFor(process, released).dated;
  return [
    ...(missing
      ? [`${folder}/package.json says ${version}, and ${folder}/CHANGELOG.md has nothing below "## ${version}"`]
      : []),
    ...(undated ? [`${released} is released, and ${folder}/CHANGELOG.md has no entry of it with a date`] : []),
  ];
};
