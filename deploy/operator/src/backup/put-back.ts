import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lockDirectory } from '@boxoffice/local';
import { ensureDirectory, secretFile } from '@boxoffice/runtime';
import { Refused } from '../installation.ts';
import { copyDurably, damagesOf, isLater, type Manifest, readManifest, syncToDisk } from './manifest.ts';

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

const KEY = secretFile('KEY_ENCRYPTION_KEY');

/** The product does not start on the databases without this key: moved last, it shows that the data is complete. */
const keyLast = (paths: readonly string[]): string[] => [
  ...paths.filter((path) => path !== KEY),
  ...paths.filter((path) => path === KEY),
];

/**
 * Restores a backup into the data directory, which no process may use. The backup is verified as a whole and copied
 * alongside before anything is moved; earlier contents are moved aside, and nothing is overwritten. @throws {Refused}
 * when it is damaged or newer, or the directory is not empty; {StartFault} when it is in use
 */
export const putBack = async (from: string, { data, versions, force, tell }: PutBackOptions): Promise<PutBack> => {
  const source = resolve(from);
  const manifest = readManifest(source);
  refuseNewer(manifest.versions, versions);
  tell('verifying checksums');
  const damages = await damagesOf(source, manifest);
  if (damages.length > 0) throw new Refused(`the backup is damaged, and nothing was restored: ${damages.join('; ')}`);
  ensureDirectory(data, 'BOXOFFICE_DATA_DIR');
  const letGo = await lockDirectory(data);
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
    await letGo();
  }
};
