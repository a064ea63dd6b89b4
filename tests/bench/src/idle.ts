import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildService, startBuilt } from './measure/built-service.ts';
import { readCpuSeconds, runInScratchDirectory } from './measure/processes.ts';
import { type Benchmark, createMaximumTarget } from './measure/report.ts';
import { readMemoryMb } from './start.ts';

/** V8 collects what the start leaves behind within the first two minutes. */
const SETTLE_MS = 240_000;

const MB_PER_MIB = 1.048576;

/** A service alone with nothing to do, as its image runs it. */
export const idle: Benchmark = {
  about: 'a built service without work; --mongodb URL --amqp URL (--only payments, --seconds 60)',
  findMissing: ({ mongodb, amqp }) =>
    mongodb && amqp ? undefined : 'needs --mongodb URL and --amqp URL, servers that nobody else works with',
  run: (progress, { mongodb = '', amqp = '', only: name = 'payments', seconds = '60' }) =>
    runInScratchDirectory(async (scratch) => {
      progress(`building ${name}`);
      const directory = join(scratch, 'built');
      await buildService(directory, name);
      const service = await startBuilt(directory, name, { mongodb, amqp });
      try {
        progress(`${SETTLE_MS / 1_000} s until the start is collected, then ${seconds} s without a request`);
        await delay(SETTLE_MS);
        const before = readCpuSeconds(service.pid);
        await delay(Number(seconds) * 1_000);
        const percent = ((readCpuSeconds(service.pid) - before) / Number(seconds)) * 100;
        const mib = readMemoryMb(service.pid, 'VmRSS') / MB_PER_MIB;
        return {
          columns: ['', '% of a core', 'MiB resident'],
          rows: [[name, percent, mib]],
          targets: [createMaximumTarget('processor', percent, 0.1, '%'), createMaximumTarget('memory', mib, 90, 'MiB')],
        };
      } finally {
        await service.stop();
      }
    }),
};
