import { hash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf, StartFault } from '@boxoffice/runtime';

/**
 * A socket whose name derives from the directory. Linux and Windows remove it with its process; elsewhere a file stays
 * behind.
 */
const addressOf = (directory: string): string => {
  const name = `boxoffice-${hash('sha256', realpathSync(directory), 'hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
};

const bound = (address: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', reject).listen(address, () => resolve(server));
  });

/** Whether a connection to the address is accepted. */
export const accepts = (address: string | NetConnectOpts): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = typeof address === 'string' ? connect(address) : connect(address);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Whether a process holds the data directory; false for a missing directory. */
export const answersFor = async (directory: string): Promise<boolean> =>
  existsSync(directory) && (await accepts(addressOf(directory)));

/**
 * Locks the data directory against a second process, since the embedded engines serve one; returns the release. @throws
 * {StartFault} when another process holds it
 */
export const lockDirectory = async (directory: string): Promise<() => Promise<void>> => {
  const address = addressOf(directory);
  const server = await bound(address).catch(async (error: unknown) => {
    if (reasonOf(error) !== 'EADDRINUSE') throw error;
    if (await accepts(address)) {
      throw new StartFault(`BOXOFFICE_DATA_DIR: ${directory} is in use by another npm start`);
    }
    rmSync(address, { force: true });
    return bound(address);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
};
