import { hash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
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

const answers = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });

/** Whether a process holds the data directory; false for a missing directory. */
export const answersFor = async (directory: string): Promise<boolean> =>
  existsSync(directory) && (await answers(addressOf(directory)));

/**
 * Locks the data directory against a second process, since the embedded engines serve one; returns the release. @throws
 * {StartFault} when another process holds it
 */
export const lockDirectory = async (directory: string): Promise<() => Promise<void>> => {
  const address = addressOf(directory);
  const server = await bound(address).catch(async (error: unknown) => {
    if (reasonOf(error) !== 'EADDRINUSE') throw error;
    if (await answers(address)) {
      throw new StartFault(`BOXOFFICE_DATA_DIR: ${directory} is in use by another npm start`);
    }
    rmSync(address, { force: true });
    return bound(address);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
};
