import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from '@jest/globals';
import { type Ran, temporaryDirectory } from './program.ts';

/** A started product without demo data. */
interface Product {
  /** Its exit status and output, once it has ended. */
  readonly ended: Promise<Ran>;
  /** Ends it in order. */
  stop(): Promise<Ran>;
}

const MAIN = new URL('../../local/src/main.ts', import.meta.url).pathname;
const ends: (() => unknown)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/** Starts the product; resolves when it is ready, and also when it has ended because it cannot start. */
export const startProduct = async (
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Product> => {
  const own = { BOXOFFICE_DATA_DIR: directory, BOXOFFICE_DEMO: 'off', GATEWAY_PORT: '0', GATEWAY_HTTP_PORT: '0' };
  const child = spawn('node', ['--conditions=source', MAIN], {
    env: { PATH: process.env.PATH, ...own, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ends.push(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  const ready = Promise.withResolvers<void>();
  child.stdout.on('data', (text) => {
    out += text;
    if (out.includes('boxoffice is ready')) ready.resolve();
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const ended = once(child, 'close').then(([status]): Ran => ({ status, out, err }));
  await Promise.race([ready.promise, ended]);
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { ended, stop };
};

export const PUBLIC_URL = 'https://tickets.example.test:18543';

/** The data of the product that the test files of a suite share. */
export const sharedDirectory = temporaryDirectory();

let shared: Promise<Product> | undefined;

/** The shared product, started by the first test that needs it. */
export const sharedProduct = (): Promise<Product> => {
  shared ??= startProduct(sharedDirectory, { PUBLIC_URL });
  return shared;
};

/** Ends it; a later test that needs it starts it again. */
export const stopSharedProduct = async (): Promise<Ran> => {
  const product = await sharedProduct();
  shared = undefined;
  return product.stop();
};
