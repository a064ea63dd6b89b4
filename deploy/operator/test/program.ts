import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from '@jest/globals';
import { operate } from '../src/operator.ts';

const directories: string[] = [];
const ends: (() => unknown)[] = [];
afterAll(() => {
  for (const end of ends) end();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** Removed after the tests of the file. */
export function createTemporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-operator-'));
  directories.push(directory);
  return directory;
}

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

type Settings = Readonly<Record<string, string>>;

// One after the other: settings and streams are those of the process.
let last: Promise<unknown> = Promise.resolve();

/** Runs one command on a data directory as an operator would; returns its status and output. */
export function createOperator(directory: string, settings: Settings = {}, input = '') {
  return (...words: readonly string[]): Promise<Ran> => {
    const ran = last.then(() => operated(words, { BOXOFFICE_DATA_DIR: directory, ...settings }, input));
    last = ran.catch(() => undefined);
    return ran;
  };
}

/** Runs the command in this process, with these settings only and `input` on its standard input. */
const operated = async (words: readonly string[], settings: Settings, input: string): Promise<Ran> => {
  let [out, err] = ['', ''];
  const replaced = {
    env: { ...settings },
    stdin: Readable.from([input]),
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  };
  const present = Object.keys(replaced).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(process, name, { value, configurable: true });
  try {
    const status = await operate(words);
    return { status, out, err };
  } finally {
    for (const [name, descriptor] of present) Object.defineProperty(process, name, descriptor ?? {});
  }
};

/** Creates the institution of most tests. */
export function createClub(operator: ReturnType<typeof createOperator>): Promise<Ran> {
  return operator('institutions', 'create', 'club', '--name', 'Club', '--currency', 'EUR', '--languages', 'en');
}

/** A started product without demo data. */
interface Product {
  /** Ends it in order. */
  stop(): Promise<void>;
}

const MAIN = new URL('../../local/src/main.ts', import.meta.url).pathname;

/** Starts the product; resolves when it is ready. */
export async function startProduct(
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Product> {
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
}

export const PUBLIC_URL = 'https://tickets.example.test:18543';

/** The data of the product that the test files of a suite share. */
export const sharedDirectory = createTemporaryDirectory();

let shared: Promise<Product> | undefined;

/** The shared product, started by the first test that needs it. */
export function getSharedProduct(): Promise<Product> {
  shared ??= startProduct(sharedDirectory, { PUBLIC_URL });
  return shared;
}

/** Ends it; a later test that needs it starts it again. */
export async function stopSharedProduct(): Promise<void> {
  const product = await getSharedProduct();
  shared = undefined;
  await product.stop();
}
