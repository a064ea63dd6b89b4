import { accessSync, constants, mkdirSync } from 'node:fs';
import { explain, StartFault } from './start-fault.ts';

/**
 * Makes the directory if it is missing (mode 0700: what lies in it is the installation's own).
 * @throws {StartFault} naming the setting, when it cannot be made or written
 */
export const ensureDirectory = (path: string, setting: string): string => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    throw new StartFault(`${setting}: the data directory ${path} is not writable: ${explain(error)}`);
  }
};
