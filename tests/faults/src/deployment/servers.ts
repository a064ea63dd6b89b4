import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const ROOT = new URL('../../../../', import.meta.url).pathname;

/** A server that belongs to the harness and may be killed; what it acknowledged survives. */
export interface Server {
  readonly url: string;
  /** Sends SIGKILL, as abrupt as a power cut. */
  kill(): Promise<void>;
  start(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface Broker extends Server {
  /** The queues refuse messages while so many wait in them; undefined: their own limit again. */
  limit(messages: number | undefined): Promise<void>;
  /** Sets the disk alarm: the broker accepts no messages. */
  alarm(on: boolean): Promise<void>;
}

export async function startStoreServer(script: string): Promise<Server> {
  return (await startServer(script)).server;
}

/** A server that a script starts and ends (`SCRIPT verb DIRECTORY`), with its data in a directory of its own. */
const startServer = async (script: string) => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-server-'));
  const run = async (...words: readonly [verb: string, ...args: string[]]): Promise<string> => {
    const [verb, ...args] = words;
    return (await execute(resolve(ROOT, script), [verb, directory, ...args])).stdout.trim();
  };
  const server: Server = {
    url: await run('start'),
    kill: async () => void (await run('kill')),
    start: async () => void (await run('start')),
    async restart() {
      await run('stop');
      await run('start');
    },
    async close() {
      await run('kill');
      await run('stop');
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return { server, run };
};

export async function startBroker(script: string): Promise<Broker> {
  const { server, run } = await startServer(script);
  return {
    ...server,
    async kill() {
      // RabbitMQ 3.10 holds the names of newly declared queues in memory for seconds before it writes them.
      await run('sync');
      await run('kill');
    },
    limit: async (messages) => void (await run('limit', messages === undefined ? 'off' : `${messages}`)),
    alarm: async (on) => void (await run('alarm', on ? 'on' : 'off')),
  };
}

export type Balancer = Awaited<ReturnType<typeof openBalancer>>;

/** Opens one address for several instances of a service, as in installations: connections are assigned in turn. */
export async function openBalancer() {
  const ports = new Set<number>();
  const sockets = new Set<Socket>();
  let turn = 0;

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  };

  /** Connects a client to the first instance that accepts; without one, the connection is refused. */
  const join = (client: Socket, [port, ...others]: readonly number[]): void => {
    if (port === undefined) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    keep(upstream);
    const next = () => join(client, others);
    upstream.once('error', next);
    upstream.once('connect', () => {
      upstream.off('error', next);
      upstream.on('error', () => client.destroy());
      upstream.once('close', () => client.destroy());
      client.once('close', () => upstream.destroy());
      if (client.destroyed) upstream.destroy();
      client.pipe(upstream).pipe(client);
    });
  };

  const server = createServer((client) => {
    keep(client);
    client.on('error', () => client.destroy());
    turn += 1;
    const first = turn % Math.max(1, ports.size);
    join(client, [...[...ports].slice(first), ...[...ports].slice(0, first)]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    add: (port: number): void => void ports.add(port),
    /** Removes an instance from the rotation; its open connections stay. */
    remove: (port: number): void => void ports.delete(port),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
