import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program of this folder that runs beside the load and has said where it is. */
export interface Running<Told> {
  readonly told: Told;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a program of this folder; it is there once it has printed its first line, a JSON object. */
export const startChild = async <Told>(file: string, args: readonly string[] = []): Promise<Running<Told>> => {
  const path = new URL(file, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=source', ...process.execArgv, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error(`${file} ended before it was ready`);
    }),
  ]);
  return {
    told: JSON.parse(line),
    child,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
};

/** What a program of this folder says when it is ready; it ends at SIGTERM. */
export const tell = (told: object): void => {
  process.once('SIGTERM', () => process.exit(0));
  process.stdout.write(`${JSON.stringify(told)}\n`);
};
