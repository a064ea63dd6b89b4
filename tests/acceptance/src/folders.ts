import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding } from './supply-chain.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const SOURCES = ['{gateway,authorizer}/src/*/**/*.ts', '{libs,services,deploy}/*/src/*/**/*.ts'];

/** A folder of several files whose files, given by path and text, all begin without a sentence about it. */
export const unexplainedFolders = (files: readonly (readonly [path: string, text: string])[]): string[] =>
  [...Map.groupBy(files, ([path]) => dirname(path))]
    .filter(([, inside]) => inside.length > 1 && !inside.some(([, text]) => text.startsWith('// ')))
    .map(([folder]) => folder);

/** Checks that a file of every source folder says in its first line what the folder does. */
export const checkFolders = async (): Promise<Finding> => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**'] });
  const faults = unexplainedFolders(files.sort().map((file) => [file, readFileSync(join(ROOT, file), 'utf8')])).map(
    (folder) => `${folder}: begin its main file with a line that says what the folder does`,
  );
  return { faults, summary: `${files.length} files` };
};
