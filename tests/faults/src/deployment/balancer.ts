import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** One address for several instances of a service, as in installations: connections are assigned in turn. */
export interface Balancer {
  readonly url: string;
  /** Adds an instance to the rotation. */
  add(port: number): void;
  /** Removes an instance from the rotation; its open connections stay. */
  remove(port: number): void;
  close(): Promise<void>;
}

/** Opens a balancer on a port that the system chooses. */
export const openBalancer = async (): Promise<Balancer> => {
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
    add: (port) => void ports.add(port),
    remove: (port) => void ports.delete(port),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
