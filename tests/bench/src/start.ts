import { readFileSync } from 'node:fs';
import { runInScratchDirectory, startProduct } from './measure/processes.ts';
import { type Benchmark, computeMedian, createMaximumTarget } from './measure/report.ts';

const RUNS = 5;

/** Resident memory in MB, now or at its peak, as the kernel counts it (Linux). */
export function readMemoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) * 0.001024;
}

const startOnce = async (directory: string) => {
  const product = await startProduct(directory);
  const [resident, peak] = [readMemoryMb(product.pid, 'VmRSS'), readMemoryMb(product.pid, 'VmHWM')];
  await product.stop();
  return { seconds: product.seconds, resident, peak };
};

export const start: Benchmark = {
  about: 'time to ready and memory of `npm start` on existing data',
  run: (progress) =>
    runInScratchDirectory(async (directory) => {
      progress('first start, with the demo data');
      const first = await startOnce(directory);
      const again = [];
      for (let run = 1; run <= RUNS; run += 1) {
        progress(`start ${run} of ${RUNS} on existing data`);
        again.push(await startOnce(directory));
      }
      const seconds = computeMedian(again.map((run) => run.seconds));
      const peak = computeMedian(again.map((run) => run.peak));
      return {
        columns: ['', 'seconds to ready', 'MB at ready', 'MB at most'],
        rows: [
          ['first, with demo data', first.seconds, first.resident, first.peak],
          [`median of ${RUNS} on existing data`, seconds, computeMedian(again.map((run) => run.resident)), peak],
        ],
        targets: [
          createMaximumTarget('time to ready', seconds, 2, 's'),
          createMaximumTarget('memory at most', peak, 220, 'MB'),
        ],
      };
    }),
};
