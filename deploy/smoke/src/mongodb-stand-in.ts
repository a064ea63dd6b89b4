import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** A server of MongoDB's protocol on this machine, and the socket through which a container reaches it. */
export interface StandIn {
  /** Path of the folder with the socket, which the container mounts. */
  readonly folder: string;
  close(): Promise<void>;
}

const START_MS = 120_000;

/** Starts the program that MONGO_SERVER names. @throws {Error} when it is missing or does not start */
export const startStandIn = async (program: string | undefined): Promise<StandIn> => {
  if (!program) throw new Error('MONGO_SERVER names no program; with --local-bases it stands in the place of MongoDB');
  const port = await freePort();
  const server = spawn(program, [`${port}`], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const ended = new Promise<void>((resolve) => server.on('exit', () => resolve()));
  const ready = Promise.withResolvers<void>();
  server.on('error', ready.reject);
  void ended.then(() => ready.reject(new Error(`${program} ended`)));
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('ready on')) ready.resolve();
  });
  const timer = setTimeout(() => ready.reject(new Error(`${program} does not come up`)), START_MS);
  await ready.promise.finally(() => clearTimeout(timer));

  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-mongodb-'));
  const socket = join(folder, 'server.sock');
  const door = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => door.listen(socket, resolve));
  // The container runs as another user.
  await chmod(folder, 0o755);
  await chmod(socket, 0o666);
  return {
    folder,
    async close() {
      door.close();
      server.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
