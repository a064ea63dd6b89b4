import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** One address for several instances of a service, as in installations: connections are assigned in turn. */
export interface Balancer {
  readonly url: string;
  /** Adds an instance to the rotation. */
  add(port: number): void;
  /** Removes an instance from the rotation; its open connections stay. */
  remove(port: number): void;
  /** The bytes that went through it, in both directions. */
  carried(): number;
  close(): Promise<void>;
}

/** Opens a balancer on a port that the system chooses. */
export const openBalancer = async (): Promise<Balancer> => {
  const ports: number[] = [];
  const sockets = new Set<Socket>();
  /** The sockets to instances, and the bytes of those that are closed. */
  const upstreams = new Set<Socket>();
  let past = 0;
  let turn = 0;

  const bytesOf = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten;

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  };

  /**
   * Connects a client to the first instance, from the current turn on, that accepts; without one, the connection is
   * refused.
   */
  const join = (client: Socket, candidates: readonly number[]): void => {
    const [port, ...others] = candidates;
    if (port === undefined) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    keep(upstream);
    upstreams.add(upstream);
    upstream.once('close', () => {
      upstreams.delete(upstream);
      past += bytesOf(upstream);
    });
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
    const first = turn % Math.max(1, ports.length);
    join(client, [...ports.slice(first), ...ports.slice(0, first)]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port');

  const remove = (port: number): void => {
    const index = ports.indexOf(port);
    if (index >= 0) ports.splice(index, 1);
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    add(port) {
      remove(port);
      ports.push(port);
    },
    remove,
    carried: () => [...upstreams].reduce((sum, upstream) => sum + bytesOf(upstream), past),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
