import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { explain, reasonOf, secretFile } from '@boxoffice/runtime';
import { snapshotSqlite } from '@boxoffice/store';
import { Refused } from '../installation.ts';
import { copyDurably, digest, FORMAT, MANIFEST, type Manifest, syncToDisk } from './manifest.ts';

/**
 * Files of a running process (which creates them again) or of an earlier restore, not of the installation.
 */
const PASSING = /(^|\/)(.*\.sqlite-(wal|shm|journal)|running\.json|gateway|replaced-[^/]*|restoring-[^/]*)(\/|$)/;

/** The files of a data directory that belong to the installation, by relative path. */
const filesOf = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !PASSING.test(path))
    .sort();

/**
 * Creates folders one by one: Node's recursive mkdir never returns where a file system reports ENOENT below an existing
 * directory, as /proc does.
 */
const makeDirectory = (path: string): void => {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
};

/** Creates the directory, or requires it to be empty. @throws {Refused} */
const emptyDirectory = (directory: string, data: string): void => {
  const at = existsSync(directory) ? realpathSync(directory) : directory;
  if (`${at}/`.startsWith(`${realpathSync(data)}/`))
    throw new Refused(`a backup must not lie in the data directory ${data}`);
  try {
    makeDirectory(directory);
    if (readdirSync(directory).length > 0)
      throw new Refused(`${directory} is not empty; a backup needs a new or empty directory`);
    chmodSync(directory, 0o700);
  } catch (error) {
    if (error instanceof Refused) throw error;
    const reason = reasonOf(error) === 'ENOENT' ? 'it cannot be created there' : explain(error);
    throw new Refused(`${directory} cannot be written: ${reason}`);
  }
};

/** The engine's error messages are sentences, the file system's need their codes. */
const why = (error: unknown): string => (error instanceof Error && !('code' in error) ? error.message : explain(error));

interface Taken {
  readonly manifest: Manifest;
  /** The time without writes, in milliseconds. */
  readonly pausedMs: number;
}

interface TakeOptions {
  readonly data: string;
  readonly versions: Manifest['versions'];
  readonly tell: (what: string) => void;
}

const SECRETS = ['KEY_ENCRYPTION_KEY', 'SERVICE_ROOT_SECRET'];

/**
 * Copies a data directory: every database as of one moment, while the product may write, then the rest, which rarely
 * changes. On failure its own files are removed. @throws {Refused} when the target is unusable, or something cannot be
 * read or written
 */
export const takeBackup = async (target: string, { data, versions, tell }: TakeOptions): Promise<Taken> => {
  const directory = resolve(target);
  emptyDirectory(directory, data);
  try {
    const paths = filesOf(data);
    const databases = paths.filter((path) => path.endsWith('.sqlite'));
    const takenAt = new Date().toISOString();
    const pausedMs = await snapshotSqlite(
      databases.map((path) => ({ from: join(data, path), to: join(directory, path) })),
      (pages) => tell(`${pages} pages copied`),
    );
    for (const path of paths.filter((one) => !databases.includes(one))) {
      copyDurably(join(data, path), join(directory, path));
    }
    const files = [];
    for (const path of paths) {
      chmodSync(join(directory, path), 0o600);
      files.push(await digest(directory, path));
      tell(`${files.length} of ${paths.length} files`);
    }
    const elsewhere = SECRETS.filter((name) => !paths.includes(secretFile(name)));
    const manifest: Manifest = { format: FORMAT, takenAt, versions, files, elsewhere };
    writeFileSync(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
    syncToDisk(directory);
    return { manifest, pausedMs };
  } catch (error) {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
    throw new Refused(`there is no backup: ${why(error)}`);
  }
};
