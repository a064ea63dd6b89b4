import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { explain } from '@boxoffice/runtime';
import { Refused } from './installation.ts';

/** The list of a backup's files. It is written last: a directory without it is no complete backup. */
export const MANIFEST = 'manifest.json';

export const FORMAT = 'boxoffice-backup-1';

interface BackedUp {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface Manifest {
  readonly format: string;
  /** ISO 8601 UTC: the common snapshot time of all databases. */
  readonly takenAt: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly files: readonly BackedUp[];
  /** The installation's secrets that the data directory does not contain: they come from its settings. */
  readonly elsewhere: readonly string[];
}

/** Returns once a file's content, or a directory's entries, are on disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** Copies a file to disk, with the folders above it, for its owner only. */
export function copyDurably(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  syncToDisk(to);
}

export async function computeDigest(directory: string, path: string): Promise<BackedUp> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(directory, path)), hash);
  return { path, bytes: statSync(join(directory, path)).size, sha256: hash.digest('hex') };
}

/** The manifest of a backup. @throws {Refused} when it is missing or of an unknown format */
export function readManifest(directory: string): Manifest {
  const manifest = (() => {
    try {
      return JSON.parse(readFileSync(join(directory, MANIFEST), 'utf8')) as Partial<Manifest> | null;
    } catch (error) {
      throw new Refused(
        `${directory} is no backup, or an unfinished one: ${MANIFEST} cannot be read: ${explain(error)}`,
      );
    }
  })();
  if (manifest?.format !== FORMAT)
    throw new Refused(
      `${directory} is not a backup that this version can read: ${MANIFEST} is not of the format ${FORMAT}`,
    );
  const { files, versions, takenAt, elsewhere } = manifest;
  const whole =
    Array.isArray(files) &&
    files.every(isFile) &&
    typeof versions === 'object' &&
    typeof takenAt === 'string' &&
    Array.isArray(elsewhere);
  if (!whole) throw new Refused(`${directory} is no backup: ${MANIFEST} is incomplete`);
  return manifest as Manifest;
}

const isFile = (one: unknown): one is BackedUp => {
  const { path, bytes, sha256 } = (one ?? {}) as Partial<BackedUp>;
  const isWithin =
    typeof path === 'string' && path !== '' && normalize(path) === path && !path.split(sep).includes('..');
  return isWithin && !path.startsWith(sep) && typeof bytes === 'number' && typeof sha256 === 'string';
};

export async function findDamages(directory: string, { files }: Manifest): Promise<string[]> {
  const damages: string[] = [];
  for (const { path, bytes, sha256 } of files) {
    const found = await computeDigest(directory, path).catch(() => undefined);
    if (!found) damages.push(`${path} is missing`);
    else if (found.bytes !== bytes || found.sha256 !== sha256) damages.push(`${path} differs from its checksum`);
  }
  return damages;
}

export function isLater(one: string, other: string): boolean {
  const [a, b] = [numbers(one), numbers(other)];
  const at = [0, 1, 2].find((index) => a[index] !== b[index]);
  return at !== undefined && (a[at] ?? 0) > (b[at] ?? 0);
}

const numbers = (version: string): number[] => version.split(/[.+-]/, 3).map((part) => Number(part) || 0);
