import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns `count` different free ports, for processes that restart at the same address. */
export const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    ports.push(address.port);
  }
  for (const server of servers) server.close();
  return ports;
};

/** Returns a free port. */
export const freePort = async (): Promise<number> => {
  const [port = 0] = await freePorts(1);
  return port;
};
