import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export const ROOT = new URL('../../../', import.meta.url).pathname;

export interface Running {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end, for half an hour at most. @throws {Error} with its output, if it fails */
export async function run(program: string, args: readonly string[], options: Running = {}): Promise<string> {
  const { cwd = ROOT, env = {} } = options;
  const limits = { maxBuffer: 64 << 20, timeout: 1_800_000 };
  const ran = promisify(execFile)(program, args, { ...limits, cwd, env: { ...process.env, ...env } });
  const { stdout } = await ran.catch((error: Error & { readonly stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout?.slice(-4_000) ?? ''}`.trimEnd());
  });
  return stdout;
}

/** Whether a program exits with status 0. */
export function isSuccessful(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

export type Engine = 'docker' | 'podman';

let engine: Promise<Engine> | undefined;

/** The engine: Docker if its daemon answers, else podman. @throws {Error} in one sentence, without either */
export function findContainerEngine(): Promise<Engine> {
  engine ??= findEngine();
  return engine;
}

const findEngine = async (): Promise<Engine> => {
  for (const program of ['docker', 'podman'] as const) if (await isSuccessful(program, ['info'])) return program;
  throw new Error('no container engine answers: start Docker (its daemon), or install podman');
};

/** Runs a command of the engine. @throws {Error} with its output, if it fails */
export async function runEngine(...args: readonly string[]): Promise<string> {
  return run(await findContainerEngine(), args);
}

/** Aligns rows in columns; the first row is the header. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`;
}

export async function runStep(name: string, act: () => Promise<string>): Promise<void> {
  const started = performance.now();
  const report = (mark: string, text: string): void => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${mark} ${name} (${seconds} s): ${text}\n`);
  };
  try {
    report('✓', await act());
  } catch (error) {
    report('✗', error instanceof Error ? error.message : String(error));
    throw error;
  }
}
