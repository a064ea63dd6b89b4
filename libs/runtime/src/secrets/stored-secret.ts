import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, reasonOf, StartFault } from '../settings/start-fault.ts';

/**
 * The secret kept in a file of the data directory, or undefined if there is none. @throws {StartFault} if it cannot be
 * read
 */
export const readStoredSecret = (directory: string, file: string): string | undefined => {
  const path = join(directory, file);
  try {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept === '') throw new StartFault(`the secret in ${path} is empty; remove the file or restore it`);
    return kept;
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined;
    throw error instanceof StartFault ? error : new StartFault(`${path} cannot be read: ${explain(error)}`);
  }
};

/**
 * The secret kept in a file of the data directory (mode 0600), made at the first call: 256 random bits in hexadecimal.
 * Two processes that start at once get the same one. @throws {StartFault} if it cannot be kept
 */
export const storeSecret = (directory: string, file: string): string => {
  const kept = readStoredSecret(directory, file);
  if (kept !== undefined) return kept;
  const path = join(directory, file);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
    // A link, since it fails where a rename would replace the secret that another process has just made.
    linkSync(draft, path);
  } catch (error) {
    if (reasonOf(error) !== 'EEXIST') throw new StartFault(`${path} cannot be written: ${explain(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
  return readStoredSecret(directory, file) ?? storeSecret(directory, file);
};
