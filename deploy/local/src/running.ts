import { hash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorCode, replaceFile, StartFault } from '@boxoffice/runtime';

/** The embedded engines serve one process. Returns the release. @throws {StartFault} when another process holds it */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const address = addressOf(directory);
  const server = await bindAddress(address).catch(async (error: unknown) => {
    if (getErrorCode(error) !== 'EADDRINUSE') throw error;
    if (await accepts(address)) {
      throw new StartFault(`BOXOFFICE_DATA_DIR: ${directory} is in use by another npm start`);
    }
    rmSync(address, { force: true });
    return bindAddress(address);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Its name derives from the directory. Linux and Windows remove it with its process; elsewhere a file stays. */
const addressOf = (directory: string): string => {
  const name = `boxoffice-${hash('sha256', realpathSync(directory), 'hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
};

const bindAddress = (address: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', reject).listen(address, () => resolve(server));
  });

const accepts = (address: string | NetConnectOpts): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = typeof address === 'string' ? connect(address) : connect(address);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** The addresses of an installation that runs in one process. */
export interface Running {
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** The place of its documents, as {@link describeStorage} returns it. */
  readonly store: string;
  /** By name of the service; for the gateway, the address of its health. */
  readonly urls: Readonly<Record<string, string>>;
  /** The public address, which links begin with: PUBLIC_URL. Absent during the start, and in an older record. */
  readonly publicUrl?: string | undefined;
  /** Where the gateway listens, and the certificate that its clients trust; undefined for a publicly trusted one. */
  readonly gatewayUrl: string;
  readonly caFile?: string | undefined;
}

/** MONGODB_URL without credentials and options, or SQLite: installations on either may share a data directory. */
export function describeStorage(mongodbUrl: string | undefined): string {
  const [, hosts = '', database = ''] = /^[^:]+:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)/.exec(mongodbUrl ?? '') ?? [];
  return mongodbUrl === undefined ? 'SQLite' : `MongoDB at ${hosts}/${database}`;
}

/** For the operator's program: loopback ports only, no secrets. Returns the removal of the record. */
export function recordRunning(directory: string, where: Omit<Running, 'pid' | 'since'>): () => Promise<void> {
  const file = fileIn(directory);
  const record: Running = { pid: process.pid, since: new Date().toISOString(), ...where };
  replaceFile(file, `${JSON.stringify(record, null, 2)}\n`, 0o600);
  return async () => {
    // On shared engines another process may have started and replaced the record.
    if (read(directory)?.pid === process.pid) rmSync(file, { force: true });
  };
}

const fileIn = (directory: string): string => join(directory, 'running.json');

const read = (directory: string): Running | undefined => {
  try {
    return JSON.parse(readFileSync(fileIn(directory), 'utf8')) as Running;
  } catch {
    return undefined;
  }
};

/** That of a killed process does not count: its pid is gone, or no address answers. At the start `urls` is empty. */
export async function readRunning(directory: string, store: string): Promise<Running | undefined> {
  const record = read(directory);
  const counts =
    record && isAlive(record.pid) && (await Promise.all(Object.values(record.urls).map(isServed))).some(Boolean);
  if (counts) return record.store === store ? record : undefined;
  return (await answersFor(directory)) ? { pid: 0, since: '', store, urls: {}, gatewayUrl: '' } : undefined;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
};

const isServed = (url: string): Promise<boolean> => {
  const { hostname, port } = new URL(url);
  return accepts({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
};

/** Whether a process holds the data directory; false for a missing directory. */
const answersFor = async (directory: string): Promise<boolean> =>
  existsSync(directory) && (await accepts(addressOf(directory)));
