import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own, small enough to be filled. */
export interface SmallDisk {
  readonly directory: string;
  /** Fills it to the last block, and again whenever something becomes free, until `free`. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Unmounts it; its files are gone. */
  close(): Promise<void>;
}

/** Mounts a file system in memory; the reason where this is not possible. */
const mounted = (megabytes: number): { readonly directory: string } | { readonly lacks: string } => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-disk-'));
  const { status, stderr, error } = spawnSync(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'boxoffice-faults', directory],
    { encoding: 'utf8' },
  );
  if (status === 0) return { directory };
  rmdirSync(directory);
  return { lacks: `a small file system cannot be mounted here: ${(error?.message ?? stderr).trim()}` };
};

const unmount = (directory: string): void => {
  // Lazily: a process that was just killed may still hold a file.
  const { status, stderr } = spawnSync('umount', ['--lazy', directory], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${directory} cannot be unmounted: ${stderr.trim()}`);
  rmdirSync(directory);
};

let known: { readonly lacks: string | undefined } | undefined;

/** Why no small file system can be mounted here, which needs root's rights; undefined if it can. */
export const lacksSmallDisk = (): string | undefined => {
  if (!known) {
    const tried = mounted(1);
    if ('directory' in tried) unmount(tried.directory);
    known = { lacks: 'lacks' in tried ? tried.lacks : undefined };
  }
  return known.lacks;
};

const CHUNKS = [1 << 20, 1 << 12] as const;
const REFILL_EVERY_MS = 100;

/** Writes until there is no room for another block. */
const writeAll = async (file: FileHandle): Promise<void> => {
  for (const size of CHUNKS) {
    const chunk = Buffer.alloc(size, 1);
    try {
      for (;;) await file.write(chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
};

/** Mounts a file system of so many megabytes. @throws {Error} where {@link lacksSmallDisk} has a reason */
export const openSmallDisk = (megabytes: number): SmallDisk => {
  const disk = mounted(megabytes);
  if ('lacks' in disk) throw new Error(disk.lacks);
  const { directory } = disk;
  const path = join(directory, 'filler');
  let file: FileHandle | undefined;
  let refilling: Promise<void> = Promise.resolve();
  let full = false;
  const refill = async (): Promise<void> => {
    while (full && file) {
      await writeAll(file);
      await new Promise((resolve) => setTimeout(resolve, REFILL_EVERY_MS));
    }
  };
  const free = async (): Promise<void> => {
    full = false;
    await refilling;
    await file?.close();
    file = undefined;
    await rm(path, { force: true });
  };
  return {
    directory,
    async fill() {
      if (full) return;
      file = await open(path, 'a');
      await writeAll(file);
      full = true;
      refilling = refill();
    },
    free,
    async close() {
      await free();
      unmount(directory);
    },
  };
};
