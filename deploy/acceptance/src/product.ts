import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One demo client of `demo.json`. */
export interface DemoClient {
  readonly name: string;
  readonly institution: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

/** `demo.json` as `npm start` writes it. */
export interface Demo {
  readonly baseUrl: string;
  readonly posUrl: string;
  readonly caFile: string;
  readonly clients: readonly DemoClient[];
  readonly pointsOfSale: readonly { serviceHost: string; institution: string; languages: string[]; currency: string }[];
  readonly users: readonly {
    serviceHost: string;
    login: string;
    password: string;
    contactNumber: string;
    member: boolean;
  }[];
  readonly fixtures: Readonly<Record<string, Record<string, { productId: string; performanceId: string }>>>;
}

/** A started product: what `npm start` starts, with its own ports and data directory. */
export interface Product {
  readonly demo: Demo;
  readonly ca: string;
  readonly directory: string;
  readonly httpUrl: string;
  /** Its output so far. */
  readonly output: () => string;
  /** Ends the process; SIGKILL leaves the data as a crash would. Returns the exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Removes the data directory. */
  discard(): Promise<void>;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

const MAIN = new URL('../../local/src/main.ts', import.meta.url).pathname;

const ready = async (child: ChildProcess, httpUrl: string, output: () => string): Promise<void> => {
  while (child.exitCode === null) {
    const answer = await fetch(`${httpUrl}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the product ended with ${child.exitCode}:\n${output()}`);
};

/** Starts the product and waits until it is ready. `directory`: data of an earlier run. */
export const startProduct = async (
  settings: Readonly<Record<string, string>> = {},
  directory?: string,
): Promise<Product> => {
  const data = directory ?? (await mkdtemp(join(tmpdir(), 'boxoffice-product-')));
  const [https, http] = [await freePort(), await freePort()];
  const { MONGODB_URL: _mongodb, AMQP_URL: _amqp, ...inherited } = process.env;
  const child = spawn('node', ['--conditions=source', MAIN], {
    env: {
      ...inherited,
      BOXOFFICE_DATA_DIR: data,
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => printed.push(text));
  const output = () => printed.join('');
  const httpUrl = `http://127.0.0.1:${http}`;
  await ready(child, httpUrl, output);
  const demo: Demo = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'));
  return {
    demo,
    ca: await readFile(demo.caFile, 'utf8'),
    directory: data,
    httpUrl,
    output,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return child.exitCode;
    },
    discard: () => rm(data, { recursive: true, force: true, maxRetries: 5 }),
  };
};
