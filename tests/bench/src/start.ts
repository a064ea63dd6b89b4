import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from './measure/product.ts';
import { type Benchmark, quantile, round } from './measure/report.ts';

const RUNS = 5;

/** Resident memory in MiB, now or at its peak, as the kernel counts it (Linux). */
const memory = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024;
};

const startOnce = async (directory: string) => {
  const product = await startProduct(directory);
  const [resident, peak] = [memory(product.pid, 'VmRSS'), memory(product.pid, 'VmHWM')];
  await product.stop();
  return { seconds: product.seconds, resident, peak };
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
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
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
          target: '≤ 220 MB',
          reached: `${round(peak * 1.048576)} MB`,
          met: peak * 1.048576 <= 220,
        },
      ],
    };
  },
};
