import { spawn } from 'node:child_process';

/** The repository: the build context of the images and the folder of the composition. */
export const ROOT = new URL('../../../', import.meta.url).pathname;

export interface Running {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input. */
  readonly input?: string;
  /** Default: ten minutes. */
  readonly timeoutMs?: number;
}

/** Characters of output that are returned at most: the last ones. */
const MOST_CHARACTERS = 4_000_000;

/** Runs a program to its end; returns its standard output. @throws {Error} with the end of its output, if it fails */
export const run = (program: string, args: readonly string[], options: Running = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const { cwd = ROOT, env = {}, input = '', timeoutMs = 600_000 } = options;
    // `timeout` of spawn would keep this process for that long where there is no such program.
    const signal = AbortSignal.timeout(timeoutMs);
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, signal });
    let printed = '';
    let all = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (stream === child.stdout) printed = (printed + text).slice(-MOST_CHARACTERS);
        all = (all + text).slice(-4_000);
      });
    child.on('error', ({ message }) => reject(new Error(`${program}: ${message}`)));
    child.on('close', (status, ended) => {
      if (status === 0) resolve(printed);
      else reject(new Error(`${program} ${args.slice(0, 8).join(' ')}: ${ended ?? `status ${status}`}\n${all}`));
    });
    child.stdin.on('error', () => undefined).end(input);
  });

/** Whether a program exits with status 0. */
export const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );
