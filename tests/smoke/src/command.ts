import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The repository: the build context of the images and the folder of the composition. */
export const ROOT = new URL('../../../', import.meta.url).pathname;

export interface Running {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end, for ten minutes at most. @throws {Error} with its output, if it fails */
export const run = async (program: string, args: readonly string[], options: Running = {}): Promise<string> => {
  const { cwd = ROOT, env = {} } = options;
  const limits = { maxBuffer: 64 << 20, timeout: 600_000 };
  const ran = promisify(execFile)(program, args, { ...limits, cwd, env: { ...process.env, ...env } });
  const { stdout } = await ran.catch((error: Error & { readonly stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout?.slice(-4_000) ?? ''}`.trimEnd());
  });
  return stdout;
};

/** Whether a program exits with status 0. */
export const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );
