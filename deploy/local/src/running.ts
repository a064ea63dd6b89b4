import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersFor } from './lock.ts';

/** Where the parts of an installation that runs in one process are reached. */
export interface Running {
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** By the name of the service; the gateway's is that of its health. */
  readonly urls: Readonly<Record<string, string>>;
  /** The gateway as its clients see it, and the certificate that they trust; undefined: one that everybody does. */
  readonly gatewayUrl: string;
  readonly caFile: string | undefined;
}

const fileIn = (directory: string): string => join(directory, 'running.json');

/** Notes where everything is, for the operator's program; answers how to take the note away. Ports of loopback, no secrets. */
export const noteRunning = (directory: string, where: Omit<Running, 'pid' | 'since'>): (() => Promise<void>) => {
  const file = fileIn(directory);
  const note: Running = { pid: process.pid, since: new Date().toISOString(), ...where };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return async () => rmSync(file, { force: true });
};

/**
 * What the process that has the directory noted of itself: undefined if no process has it. What one left behind that was killed does not
 * count; `urls` is empty while one has only just begun.
 */
export const readRunning = async (directory: string): Promise<Running | undefined> => {
  if (!(await answersFor(directory))) return undefined;
  try {
    return JSON.parse(readFileSync(fileIn(directory), 'utf8')) as Running;
  } catch {
    return { pid: 0, since: '', urls: {}, gatewayUrl: '', caFile: undefined };
  }
};
