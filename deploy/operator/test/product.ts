import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from '@jest/globals';
import { temporaryDirectory } from './program.ts';

/** A started product without demo data. */
interface Product {
  /** Ends it in order. */
  stop(): Promise<void>;
}

const MAIN = new URL('../../local/src/main.ts', import.meta.url).pathname;
const ends: (() => unknown)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/** Starts the product; resolves when it is ready. */
export const startProduct = async (
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Product> => {
  const own = { BOXOFFICE_DATA_DIR: directory, BOXOFFICE_DEMO: 'off', GATEWAY_PORT: '0', GATEWAY_HTTP_PORT: '0' };
  const env = { PATH: process.env.PATH, ...own, ...settings };
  const child = spawn('node', ['--conditions=source', MAIN], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  ends.push(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const ready = Promise.withResolvers<void>();
  // The output is read to the end: a full pipe would block the program's log.
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
    if (printed.includes('is ready')) ready.resolve();
  });
  await Promise.race([ready.promise, ended.then(() => Promise.reject(new Error('it ended instead')))]);
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
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
export const stopSharedProduct = async (): Promise<void> => {
  const product = await sharedProduct();
  shared = undefined;
  await product.stop();
};
