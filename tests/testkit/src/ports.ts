import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to connections and to servers that name none: otherwise one of them could have a
 * port until its process starts, or while it restarts.
 */
const RANGE = [12_000, 32_000] as const;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const listening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
};

/** Returns `count` different free ports, for processes that restart at the same address. */
export const freePorts = async (count: number): Promise<number[]> => {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(...RANGE);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
};

/** Returns a free port. */
export const freePort = async (): Promise<number> => {
  const [port = 0] = await freePorts(1);
  return port;
};
