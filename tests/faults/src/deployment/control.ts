import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const ROOT = new URL('../../../../', import.meta.url).pathname;

/** A script that starts and ends a server whose data are in one directory (.ci/rabbitmq, .ci/mongodb). */
export interface Control {
  /** Runs `SCRIPT verb DIRECTORY args…`; returns what it prints. @throws {Error} when it fails */
  run(verb: string, ...args: readonly string[]): Promise<string>;
  /** Removes the directory. */
  remove(): Promise<void>;
}

/** Opens a control script, a path from the root of the sources, on a directory of its own. */
export const openControl = async (script: string, name: string): Promise<Control> => {
  const directory = await mkdtemp(join(tmpdir(), `boxoffice-${name}-`));
  const program = resolve(ROOT, script);
  return {
    run: async (verb, ...args) => (await execute(program, [verb, directory, ...args])).stdout.trim(),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
};
