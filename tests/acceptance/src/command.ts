import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The result of a command: its exit status (1 when it could not be started or was killed). */
export interface Outcome {
  readonly status: number;
  /** What it printed, if that was collected. */
  readonly printed: string;
}

interface RunOptions {
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Collects what the command prints; default: it prints on this terminal. */
  readonly collect?: boolean;
}

/** Runs a command of the workspace to its end; never rejects. */
export const run = async (
  command: string,
  args: readonly string[],
  { env = {}, collect = false }: RunOptions = {},
): Promise<Outcome> => {
  const output = collect ? 'pipe' : 'inherit';
  const child = spawn(command, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const status = await once(child, 'close').then(
    ([code]) => (typeof code === 'number' ? code : 1),
    (error: Error) => {
      printed += `${command}: ${error.message}\n`;
      if (!collect) process.stderr.write(printed);
      return 1;
    },
  );
  return { status, printed };
};
