// Secrets at rest: sealed private keys, and secrets in files of the data directory.

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, reasonOf, StartFault } from '../settings/start-fault.ts';

/**
 * The secret stored in a file of the data directory, or undefined if there is none.
 * @throws {StartFault} if it cannot be read
 */
export const readStoredSecret = (directory: string, file: string): string | undefined => {
  const path = join(directory, file);
  try {
    const stored = readFileSync(path, 'utf8').trim();
    if (stored === '') throw new StartFault(`the secret in ${path} is empty; remove the file or restore it`);
    return stored;
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined;
    throw error instanceof StartFault ? error : new StartFault(`${path} cannot be read: ${explain(error)}`);
  }
};

/**
 * The secret stored in a file of the data directory (mode 0600), created by the first call: 256 random bits in
 * hexadecimal. Two processes that start at once get the same one.
 * @throws {StartFault} if it cannot be stored
 */
export const storeSecret = (directory: string, file: string): string => {
  const stored = readStoredSecret(directory, file);
  if (stored !== undefined) return stored;
  const path = join(directory, file);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
    // A link fails where a rename would replace the secret that another process has just created.
    linkSync(draft, path);
  } catch (error) {
    if (reasonOf(error) !== 'EEXIST') throw new StartFault(`${path} cannot be written: ${explain(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
  return readStoredSecret(directory, file) ?? storeSecret(directory, file);
};
