import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { reasonOf } from '@boxoffice/runtime';
import { answersFor } from './lock.ts';

/** Where the parts of an installation that runs in one process are reached. */
export interface Running {
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** Where its documents are, as {@link placeOf} tells it. */
  readonly store: string;
  /** By the name of the service; the gateway's is that of its health. */
  readonly urls: Readonly<Record<string, string>>;
  /** The gateway as its clients see it, and the certificate that they trust; undefined: one that everybody does. */
  readonly gatewayUrl: string;
  readonly caFile?: string | undefined;
}

/**
 * Where MONGODB_URL leads, without its credentials and options; SQLite without it. A data directory may serve an installation on files and,
 * with other settings, one on MongoDB: by this one tells them apart.
 */
export const placeOf = (mongodbUrl: string | undefined): string => {
  const [, hosts = '', database = ''] = /^[^:]+:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)/.exec(mongodbUrl ?? '') ?? [];
  return mongodbUrl === undefined ? 'SQLite' : `MongoDB at ${hosts}/${database}`;
};

const fileIn = (directory: string): string => join(directory, 'running.json');

const read = (directory: string): Running | undefined => {
  try {
    return JSON.parse(readFileSync(fileIn(directory), 'utf8')) as Running;
  } catch {
    return undefined;
  }
};

/** Notes where everything is, for the operator's program; answers how to take the note away. Ports of loopback, no secrets. */
export const recordRunning = (directory: string, where: Omit<Running, 'pid' | 'since'>): (() => Promise<void>) => {
  const file = fileIn(directory);
  const note: Running = { pid: process.pid, since: new Date().toISOString(), ...where };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return async () => {
    // Engines that serve many processes let another one begin here, whose note it is then.
    if (read(directory)?.pid === process.pid) rmSync(file, { force: true });
  };
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return reasonOf(error) === 'EPERM';
  }
};

const accepts = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/**
 * What the process that runs on the directory and this store noted of itself; undefined if none does. What one left behind that was killed
 * does not count: its process is gone, or nobody listens at its addresses. `urls` is empty while one has only just begun.
 */
export const readRunning = async (directory: string, store: string): Promise<Running | undefined> => {
  const note = read(directory);
  const counts = note && isAlive(note.pid) && (await Promise.all(Object.values(note.urls).map(accepts))).some(Boolean);
  if (counts) return note.store === store ? note : undefined;
  return (await answersFor(directory)) ? { pid: 0, since: '', store, urls: {}, gatewayUrl: '' } : undefined;
};
