import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@boxoffice/testkit';
import { cpuSeconds } from './measure/child.ts';
import { startProduct } from './measure/product.ts';
import { type Benchmark, round } from './measure/report.ts';

const SETTLE_MS = 5_000;
const SECONDS = 30;
const TARGET = 0.007;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Store calls so far, by operation, over all services. */
const storeCalls = async (operationsPort: number): Promise<Map<string, number>> => {
  const text = await (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
  const calls = new Map<string, number>();
  for (const [, operation = '', count] of text.matchAll(
    /^store_operation_duration_seconds_count\{.*operation="(\w+)".*\} (\S+)$/gm,
  )) {
    calls.set(operation, (calls.get(operation) ?? 0) + Number(count));
  }
  return calls;
};

/** Leaves the product idle; returns its share of a core, and its store calls if it has an operations port. */
const rest = async (directory: string, operationsPort?: number) => {
  const port = operationsPort === undefined ? undefined : `${operationsPort}`;
  const product = await startProduct(directory, port === undefined ? {} : { OPERATIONS_PORT: port });
  const look = async () => (operationsPort === undefined ? new Map<string, number>() : storeCalls(operationsPort));
  await pause(SETTLE_MS);
  const [cpu, before] = [cpuSeconds(product.pid), await look()];
  await pause(SECONDS * 1000);
  const share = (cpuSeconds(product.pid) - cpu) / SECONDS;
  const after = await look();
  await product.stop();
  return { share, before, after };
};

/** The cost of sweeps and relays without requests. */
export const idle: Benchmark = {
  about: `processor time and store calls of \`npm start\` in ${SECONDS} s without requests`,
  async run(progress) {
    const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
    progress('starting the product with its demo data');
    await (await startProduct(directory)).stop();
    progress(`${SECONDS} s of nothing`);
    const { share } = await rest(directory);
    progress(`${SECONDS} s without requests, reading metrics`);
    const operationsPort = await freePort();
    const measured = await rest(directory, operationsPort);
    const { before: calls, after } = measured;
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    const perMinute = [...after].map(([operation, count]): [string, number] => [
      `${operation}, calls a minute`,
      ((count - (calls.get(operation) ?? 0)) * 60) / SECONDS,
    ]);
    return {
      name: 'idle',
      about: this.about,
      columns: ['', 'figure'],
      rows: [
        ['% of a core', share * 100],
        ['% of a core, with metrics', measured.share * 100],
        ...perMinute.filter(([, count]) => count > 0),
      ],
      targets: [
        {
          what: 'idle processor time',
          target: '< 0.7 % of a core',
          reached: `${round(share * 100)} %`,
          met: share < TARGET,
        },
      ],
    };
  },
};
