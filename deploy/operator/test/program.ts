import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from '@jest/globals';
import { operate } from '../src/operator.ts';

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

type Settings = Readonly<Record<string, string>>;

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

// One after the other: settings and streams are those of the process.
let last: Promise<unknown> = Promise.resolve();

/** Runs one command on a data directory as an operator would; returns its status and output. */
export const operatorOf =
  (directory: string, settings: Settings = {}, input = '') =>
  (...words: readonly string[]): Promise<Ran> => {
    const ran = last.then(() => operated(words, { BOXOFFICE_DATA_DIR: directory, ...settings }, input));
    last = ran.catch(() => undefined);
    return ran;
  };

/** Creates the institution of most tests. */
export const createClub = (operator: ReturnType<typeof operatorOf>): Promise<Ran> =>
  operator('institutions', 'create', 'club', '--name', 'Club', '--currency', 'EUR', '--languages', 'en');
