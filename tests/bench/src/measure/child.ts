import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program of this folder that runs beside the load and has announced its address. */
export interface Running<Announced> {
  readonly announced: Announced;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** The address of the benchmark's authorizer, and who may use it. */
export interface AuthorizerAnnouncement {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  /** The gateway's service secret. */
  readonly serviceSecret: string;
}

/** Starts a program of the folder `programs`, by name; resolves with its first line, a JSON object. */
export const startChild = async <Announced>(
  name: string,
  args: readonly string[] = [],
): Promise<Running<Announced>> => {
  const path = new URL(`../programs/${name}.ts`, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=source', ...process.execArgv, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error(`${name} ended before it was ready`);
    }),
  ]);
  return {
    announced: JSON.parse(line),
    child,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
};

/** CPU seconds that a process has used so far, all threads, as the kernel counts them (Linux; NaN elsewhere). */
export const cpuSeconds = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // utime and stime, in ticks of 10 ms.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
};

/** A directory of a program of this folder, which is removed when it ends. */
export const scratchDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
};

/** Prints the announcement of a program of this folder when it is ready; the program ends at SIGTERM. */
export const announce = (message: object): void => {
  process.once('SIGTERM', () => process.exit(0));
  process.stdout.write(`${JSON.stringify(message)}\n`);
};
