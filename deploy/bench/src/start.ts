import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Benchmark, quantile, round } from './report.ts';

const MAIN = new URL('../../local/src/main.ts', import.meta.url).pathname;
const RUNS = 5;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
};

/** Resident memory in MiB, now or at its peak, as the kernel counts it (Linux). */
const memory = (child: ChildProcess, field: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024;
};

const startOnce = async (directory: string) => {
  const [https, http] = [await freePort(), await freePort()];
  const started = performance.now();
  const child = spawn(process.execPath, ['--conditions=source', MAIN], {
    env: { ...process.env, BOXOFFICE_DATA_DIR: directory, GATEWAY_PORT: `${https}`, GATEWAY_HTTP_PORT: `${http}` },
    stdio: 'ignore',
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the product ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${http}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const seconds = (performance.now() - started) / 1000;
  const [resident, peak] = [memory(child, 'VmRSS'), memory(child, 'VmHWM')];
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return { seconds, resident, peak };
};

/** Time to ready and memory of the whole product in one process. */
export const start: Benchmark = {
  about: 'time to ready and memory of `npm start` on existing data',
  async run(progress) {
    const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
    progress('first start, with the demo data');
    const first = await startOnce(directory);
    const again = [];
    for (let run = 1; run <= RUNS; run += 1) {
      progress(`start ${run} of ${RUNS} on existing data`);
      again.push(await startOnce(directory));
    }
    rmSync(directory, { recursive: true, force: true });
    const seconds = quantile(
      again.map((run) => run.seconds),
      0.5,
    );
    const peak = quantile(
      again.map((run) => run.peak),
      0.5,
    );
    const resident = quantile(
      again.map((run) => run.resident),
      0.5,
    );
    return {
      name: 'start',
      about: this.about,
      columns: ['', 'seconds to ready', 'MiB at ready', 'MiB at most'],
      rows: [
        ['first, with demo data', first.seconds, first.resident, first.peak],
        [`median of ${RUNS} on existing data`, seconds, resident, peak],
      ],
      targets: [
        { what: 'time to ready', target: '≤ 2 s', reached: `${round(seconds)} s`, met: seconds <= 2 },
        {
          what: 'memory at most',
          target: '≤ 250 MB',
          reached: `${round(peak * 1.048576)} MB`,
          met: peak * 1.048576 <= 250,
        },
      ],
    };
  },
};
