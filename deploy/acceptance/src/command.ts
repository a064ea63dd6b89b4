import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The result of a command: its exit status (1 when it could not be started or was killed) and its duration. */
export interface Outcome {
  readonly status: number;
  readonly seconds: number;
}

/** Runs a command of the workspace to its end, its output on this terminal; never rejects. */
export const run = async (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> => {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
  const status = await once(child, 'close').then(
    ([code]) => (typeof code === 'number' ? code : 1),
    (error: Error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      return 1;
    },
  );
  return { status, seconds: (performance.now() - started) / 1000 };
};
