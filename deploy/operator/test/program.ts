import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const pathOf = (relative: string): string => new URL(relative, import.meta.url).pathname;

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** Removed after the tests of the file. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-operator-'));
  directories.push(directory);
  return directory;
};

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

const ran = async (
  main: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  input?: string,
): Promise<Ran> => {
  const child = spawn('node', ['--conditions=source', main, ...words], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command without input may end before this write.
  child.stdin.on('error', () => undefined).end(input);
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
    // These tests only need a product that starts.
    if (out.includes('boxoffice is ready')) child.kill('SIGTERM');
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [status] = await once(child, 'close');
  return { status, out, err };
};

/** Runs one command on a data directory as an operator would; returns its status and output. */
export const operatorOf =
  (directory: string, settings: Readonly<Record<string, string>> = {}) =>
  (...words: readonly string[]): Promise<Ran> =>
    ran(pathOf('../src/main.ts'), words, { BOXOFFICE_DATA_DIR: directory, ...settings });

/** The same, with `input` on its standard input. */
export const pipedTo =
  (directory: string, input: string) =>
  (...words: readonly string[]): Promise<Ran> =>
    ran(pathOf('../src/main.ts'), words, { BOXOFFICE_DATA_DIR: directory }, input);

/** Starts the product without demo data and ends it when it is ready; returns its output where it cannot start. */
export const startAndEnd = (directory: string): Promise<Ran> =>
  ran(pathOf('../../local/src/main.ts'), [], {
    BOXOFFICE_DATA_DIR: directory,
    BOXOFFICE_DEMO: 'off',
    GATEWAY_PORT: '0',
    GATEWAY_HTTP_PORT: '0',
  });

/** Creates the institution of most tests. */
export const createClub = (operator: ReturnType<typeof operatorOf>): Promise<Ran> =>
  operator('institutions', 'create', 'club', '--name', 'Club', '--currency', 'EUR', '--languages', 'en');
