import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { lockDirectory } from '@boxoffice/local';
import { ensureDirectory, explain, getErrorCode, nameSecretFile } from '@boxoffice/runtime';
import { copySqliteFiles } from '@boxoffice/store';
import {
  computeDigest,
  copyDurably,
  FORMAT,
  findDamages,
  isLater,
  MANIFEST,
  type Manifest,
  readManifest,
  syncToDisk,
} from './backup-manifest.ts';
import type { Command } from './command.ts';
import { createProgress } from './command.ts';
import { type Installation, Refused, versions } from './installation.ts';

/** Of a running process, which creates them again, drafts of a killed one, and what an earlier restore left. */
const PASSING =
  /(^|\/)(.*\.sqlite-(wal|shm|journal)|running\.json|gateway|replaced-[^/]*|restoring-[^/]*|[^/]+\.\d+)(\/|$)/;

const filesOf = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !PASSING.test(path))
    .sort();

/** One by one: Node's recursive mkdir never ends below /proc, which says ENOENT. */
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
    const reason = getErrorCode(error) === 'ENOENT' ? 'it cannot be created there' : explain(error);
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

/** Every database as of one moment, then the rest. On failure its own files are removed. @throws {Refused} */
export async function takeBackup(target: string, { data, versions, tell }: TakeOptions): Promise<Taken> {
  const directory = resolve(target);
  emptyDirectory(directory, data);
  try {
    const paths = filesOf(data);
    const databases = paths.filter((path) => path.endsWith('.sqlite'));
    const takenAt = new Date().toISOString();
    const pausedMs = await copySqliteFiles(
      databases.map((path) => ({ from: join(data, path), to: join(directory, path) })),
      (pages) => tell(`${pages} pages copied`),
    );
    for (const path of paths.filter((one) => !databases.includes(one))) {
      copyDurably(join(data, path), join(directory, path));
    }
    const files = [];
    for (const path of paths) {
      chmodSync(join(directory, path), 0o600);
      files.push(await computeDigest(directory, path));
      tell(`${files.length} of ${paths.length} files`);
    }
    const elsewhere = SECRETS.filter((name) => !paths.includes(nameSecretFile(name)));
    const manifest: Manifest = { format: FORMAT, takenAt, versions, files, elsewhere };
    writeFileSync(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
    syncToDisk(directory);
    return { manifest, pausedMs };
  } catch (error) {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
    throw new Refused(`there is no backup: ${why(error)}`);
  }
}

export interface PutBackOptions {
  readonly data: string;
  readonly versions: Manifest['versions'];
  /** Moves the data directory's present contents aside. */
  readonly force: boolean;
  readonly tell: (what: string) => void;
}

interface PutBack {
  readonly manifest: Manifest;
  /** The folder of the earlier contents; undefined: there were none. */
  readonly aside: string | undefined;
}

/** Refuses newer data: an older program would lose members that it does not know. @throws {Refused} */
const refuseNewer = (made: Manifest['versions'], known: Manifest['versions']): void => {
  const newer = Object.entries(made).filter(([name, version]) => isLater(version, known[name] ?? '0.0.0'));
  if (newer.length === 0) return;
  const versions = newer.map(([name, version]) => `${name} ${version} (this program’s: ${known[name] ?? 'none'})`);
  throw new Refused(`the backup is of a newer version: ${versions.join(', ')}; restore it with that version`);
};

const KEY = nameSecretFile('KEY_ENCRYPTION_KEY');

/** The product does not start on the databases without this key: moved last, it shows that the data is complete. */
const keyLast = (paths: readonly string[]): string[] => [
  ...paths.filter((path) => path !== KEY),
  ...paths.filter((path) => path === KEY),
];

/**
 * Verified as a whole and copied alongside before anything is moved; earlier contents are moved aside, not overwritten.
 * @throws {Refused} when it is damaged or newer, or the directory is not empty; {StartFault} when it is in use
 */
export async function putBack(from: string, { data, versions, force, tell }: PutBackOptions): Promise<PutBack> {
  const source = resolve(from);
  const manifest = readManifest(source);
  refuseNewer(manifest.versions, versions);
  tell('verifying checksums');
  const damages = await findDamages(source, manifest);
  if (damages.length > 0) throw new Refused(`the backup is damaged, and nothing was restored: ${damages.join('; ')}`);
  ensureDirectory(data, 'BOXOFFICE_DATA_DIR');
  const unlock = await lockDirectory(data);
  try {
    const before = readdirSync(data);
    if (before.length > 0 && !force) {
      throw new Refused(
        `${data} (BOXOFFICE_DATA_DIR) is not empty; --force moves its content aside: ${before.slice(0, 5).join(', ')} …`,
      );
    }
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const staging = join(data, `restoring-${time}`);
    const aside = before.length > 0 ? join(data, `replaced-${time}`) : undefined;
    const paths = keyLast(manifest.files.map(({ path }) => path));
    try {
      tell(`copying ${paths.length} files`);
      for (const path of paths) copyDurably(join(source, path), join(staging, path));
      if (aside !== undefined) {
        mkdirSync(aside, { mode: 0o700 });
        for (const name of before.filter((one) => !one.startsWith('replaced-')))
          renameSync(join(data, name), join(aside, name));
      }
      for (const path of paths) {
        mkdirSync(dirname(join(data, path)), { recursive: true, mode: 0o700 });
        renameSync(join(staging, path), join(data, path));
      }
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
    syncToDisk(data);
    return { manifest, aside };
  } finally {
    await unlock();
  }
}

/** @throws {Refused} when the data are in a database with its own backup tools */
const requireFiles = ({ engines }: Installation): void => {
  if (engines.store === 'SQLite') return;
  throw new Refused(
    'MONGODB_URL is set: back up MongoDB with mongodump --oplog or its provider’s snapshots, see ' +
      'deploy/kubernetes/README.md',
  );
};

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

export const backups: readonly Command[] = [
  {
    name: 'backup',
    usage: 'DIR',
    about:
      'copies the data directory, also while the product runs: every database as of one moment, the keys and ' +
      'credentials beside them (protect the backup like those), and a manifest with checksums; DIR must be new or ' +
      'empty',
    async run(installation, { words: [target = ''] }) {
      requireFiles(installation);
      const progress = createProgress('backup');
      const startedAt = performance.now();
      const { manifest, pausedMs } = await takeBackup(target, {
        data: installation.directory,
        versions,
        tell: progress.tell,
      }).finally(progress.end);
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
      const notes = [
        ...manifest.elsewhere.map((name) => `${name} is not stored in the data directory: back it up separately`),
        ...(installation.engines.bus === 'RabbitMQ'
          ? [
              'messages in RabbitMQ are not included: empty the queues before a restore, and run facts republish ' +
                'after it',
            ]
          : []),
      ];
      return {
        backup: resolve(target),
        takenAt: manifest.takenAt,
        files: manifest.files.length,
        size: megabytes(bytes),
        writersPausedMs: Math.round(pausedMs * 10) / 10,
        seconds: Math.round((performance.now() - startedAt) / 100) / 10,
        ...(notes.length > 0 ? { notes: notes.join('; ') } : {}),
      };
    },
  },
  {
    name: 'restore',
    usage: 'DIR [--force]',
    about:
      'puts a backup into the data directory (BOXOFFICE_DATA_DIR), which must be empty and not in use, after ' +
      'verifying its versions and checksums; --force: moves existing content aside, into a folder there',
    data: 'made',
    async run(installation, { words: [source = ''], options }) {
      requireFiles(installation);
      const progress = createProgress('restore');
      const { manifest, aside } = await putBack(source, {
        data: installation.directory,
        versions,
        force: options.force === true,
        tell: progress.tell,
      }).finally(progress.end);
      return {
        restored: installation.directory,
        takenAt: manifest.takenAt,
        files: manifest.files.length,
        ...(aside === undefined ? {} : { before: aside }),
        next:
          installation.engines.bus === 'RabbitMQ'
            ? 'npm start, npm run operator -- facts republish, then npm run operator -- check'
            : 'npm start, then npm run operator -- check',
        ...(manifest.elsewhere.length > 0 ? { neededFromElsewhere: manifest.elsewhere } : {}),
      };
    },
  },
];
