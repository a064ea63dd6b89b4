import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The folder of this checkout. */
const HERE = new URL('../../../../', import.meta.url).pathname;

/** The product as `npm start` runs it, on its own data directory and free ports. */
export interface Product {
  readonly pid: number;
  /** Seconds from the start of the process to readiness. */
  readonly seconds: number;
  readonly baseUrl: string;
  readonly httpUrl: string;
  /** The certificate of its HTTPS listener. */
  readonly caFile: string;
  /** The opera's demo client of that name. */
  client(name: string): { readonly clientId: string; readonly clientSecret: string };
  stop(): Promise<void>;
}

/** A free loopback port. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
};

/** Starts the product of a checkout and waits until it is ready. @throws {Error} when it ends earlier */
export const startProduct = async (
  directory: string,
  settings: Readonly<Record<string, string>> = {},
  checkout = HERE,
): Promise<Product> => {
  const [https, http] = [await freePort(), await freePort()];
  const started = performance.now();
  // As npm start does: halving the space for young objects costs a tenth of the speed and saves 20 MB.
  const main = join(checkout, 'deploy/local/src/main.ts');
  const child = spawn(process.execPath, ['--conditions=source', '--max-semi-space-size=8', main], {
    cwd: checkout,
    env: {
      ...process.env,
      BOXOFFICE_DATA_DIR: directory,
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
      LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: 'ignore',
  });
  const httpUrl = `http://127.0.0.1:${http}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the product ended with ${child.exitCode}`);
    const answer = await fetch(`${httpUrl}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const seconds = (performance.now() - started) / 1000;
  const demo = () => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
  return {
    pid: child.pid ?? 0,
    seconds,
    baseUrl: `https://localhost:${https}`,
    httpUrl,
    caFile: demo().caFile,
    client(name) {
      const { clients } = demo();
      return clients.find(
        (one: { name: string; institution: string }) => one.name === name && one.institution === 'opera',
      );
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
};

/** Settings that lift every limit on requests and held places. */
export const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: '100000000',
  ADDRESS_LIMIT_PER_MINUTE: '100000000',
  POS_RATE_LIMIT_PER_MINUTE: '100000000',
  ADDRESS_CONNECTIONS: '10000',
  POS_HELD_PLACES_PER_ADDRESS: '1000000',
};
