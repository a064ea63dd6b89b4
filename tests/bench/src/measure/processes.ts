import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type Credentials, findFreePorts, waitUntil } from '@boxoffice/testkit';

export interface Running<Announced> {
  readonly announced: Announced;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a program of the folder `programs`, by name; resolves with its first line, a JSON object. */
export async function startChild<Announced>(name: string, args: readonly string[] = []): Promise<Running<Announced>> {
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
}

/** What the kernel tells of a process after its name (Linux; nothing elsewhere): its state, its parent, … */
const readStat = (pid: number | undefined): readonly number[] => {
  try {
    return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ').map(Number);
  } catch {
    return [];
  }
};

/** CPU seconds that a process has used so far, all threads, as the kernel counts them (Linux; NaN elsewhere). */
export function readCpuSeconds(pid: number | undefined): number {
  const { 11: user = Number.NaN, 12: system = Number.NaN } = readStat(pid);
  // In ticks of 10 ms.
  return (user + system) / 100;
}

/** CPU seconds of processes and of all that they have started, what has ended included. */
export function readTreeCpuSeconds(roots: readonly number[]): number {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
  const processes = pids.map((pid) => ({ pid, stat: readStat(pid) }));
  const sum = (pid: number, stat: readonly number[]): number =>
    processes
      .filter((child) => child.stat[1] === pid)
      .reduce(
        (seconds, child) => seconds + sum(child.pid, child.stat),
        // Its own user and system time, then that of the children that it has waited for.
        stat.slice(11, 15).reduce((ticks, each) => ticks + each, 0) / 100,
      );
  return roots.reduce((seconds, pid) => seconds + sum(pid, readStat(pid)), 0);
}

/** Waits until processes have finished what requests left to do in the background; returns their CPU seconds then. */
export async function waitForRest(measureCpu: () => number, withinMs = 10_000): Promise<number> {
  const until = Date.now() + withinMs;
  let before = measureCpu();
  for (;;) {
    await delay(200);
    const now = measureCpu();
    if (now - before <= 0.01 || Date.now() > until) return now;
    before = now;
  }
}

/** Prints the announcement of a program of this folder when it is ready; the program ends at SIGTERM. */
export function announce(message: object): void {
  process.once('SIGTERM', () => process.exit(0));
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

export const HERE = new URL('../../../../', import.meta.url).pathname;

/** The product as `npm start` runs it, on its own data directory and free ports. */
export type Product = Awaited<ReturnType<typeof startProduct>>;

/** As npm start has them. Without, glibc holds on to what password hashes have used: 100 MB after the first start. */
export const MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '1048576' };

/** Starts the product of a checkout and waits until it is ready. @throws {Error} when it ends earlier */
export async function startProduct(
  directory: string,
  settings: Readonly<Record<string, string>> = {},
  checkout = HERE,
) {
  const [https, http] = await findFreePorts(2);
  const started = performance.now();
  // As npm start does: halving the space for young objects costs a tenth of the speed and saves 20 MB.
  const main = join(checkout, 'deploy/local/src/main.ts');
  const child = spawn(process.execPath, ['--conditions=source', '--max-semi-space-size=8', main], {
    cwd: checkout,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(checkout, '.cache/compiled'),
      ...MEMORY,
      BOXOFFICE_DATA_DIR: directory,
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
      LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: 'ignore',
  });
  const httpUrl = `http://127.0.0.1:${http}`;
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the product ended with ${child.exitCode}`);
    return fetch(`${httpUrl}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await waitUntil(isReady, { what: 'the product to be ready', withinMs: 600_000 });
  const seconds = (performance.now() - started) / 1000;
  const demo = () => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
  return {
    pid: child.pid ?? 0,
    /** Seconds from the start of the process to readiness. */
    seconds,
    baseUrl: `https://localhost:${https}`,
    caFile: join(directory, 'development-certificate.pem'),
    client(name: string): Credentials {
      const { clients } = demo();
      return clients.find(
        (one: { name: string; institution: string }) => one.name === name && one.institution === 'opera',
      );
    },
    async stop(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: '100000000',
  ADDRESS_LIMIT_PER_MINUTE: '100000000',
  POS_RATE_LIMIT_PER_MINUTE: '100000000',
  POS_HELD_PLACES_PER_ADDRESS: '1000000',
  POS_HELD_PLACES_PER_LOGIN: '1000000',
};

/** Calls `work` with a temporary directory, which it then removes. */
export async function runInScratchDirectory<Value>(work: (directory: string) => Promise<Value>): Promise<Value> {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
  return work(directory).finally(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
}

/** Calls `work` with a product that has the demo data and nothing else, without limits unless `settings` say so. */
export function runWithProduct<Value>(
  work: (product: Product) => Promise<Value>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Value> {
  return runInScratchDirectory(async (directory) => {
    const product = await startProduct(directory, { ...UNLIMITED, ...settings });
    return work(product).finally(product.stop);
  });
}
