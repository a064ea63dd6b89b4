import { accessSync, constants, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { explain, getErrorCode, StartFault } from './settings/start-fault.ts';

/** Mode 0700. One by one: Node's recursive mkdir never ends below /proc, which says ENOENT. @throws {StartFault} */
export function ensureDirectory(path: string, setting: string): string {
  try {
    for (const directory of missing(resolve(path))) make(directory);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    const reason = getErrorCode(error) === 'ENOENT' ? 'it cannot be made there' : explain(error);
    throw new StartFault(`${setting}: the data directory ${path} is not writable: ${reason}`);
  }
}

const missing = (path: string): string[] => {
  if (isDirectory(path)) return [];
  const found = [path];
  for (let at = dirname(path); !statIfPresent(at) && at !== dirname(at); at = dirname(at)) found.unshift(at);
  return found;
};

const isDirectory = (path: string): boolean => statIfPresent(path)?.isDirectory() ?? false;

const statIfPresent = (path: string) => statSync(path, { throwIfNoEntry: false });

const make = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (getErrorCode(error) !== 'EEXIST' || !isDirectory(path)) throw error;
  }
};

/** @throws the file system's error; the file is unchanged then */
export function replaceFile(path: string, content: string, mode: number): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, content, { mode, flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
