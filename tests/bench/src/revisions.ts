// This checkout against another revision, by processor time per request.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cpuSeconds } from '../measure/child.ts';
import { type Product, startProduct, UNLIMITED } from '../measure/product.ts';
import { type Benchmark, quantile } from '../measure/report.ts';
import { FEWEST, medianInterval } from './interval.ts';
import { type Operation, operationsOf } from './operations.ts';

const run = promisify(execFile);

/** The root of this checkout. */
const REPOSITORY = new URL('../../../../', import.meta.url).pathname;

/** A revision may cost so much more processor time per request than the other one. */
const TOLERATED = 1.1;

/** Requests in flight at a time. */
const CONNECTIONS = 4;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Checks a revision out into the folder, with its dependencies. @throws {Error} for an unknown revision */
const checkOut = async (revision: string, folder: string): Promise<void> => {
  await run('git', ['clone', '--quiet', '--no-checkout', REPOSITORY, folder]);
  const { stdout } = await run('git', ['rev-parse', '--verify', `${revision}^{commit}`], { cwd: REPOSITORY });
  await run('git', ['checkout', '--quiet', '--detach', stdout.trim()], { cwd: folder });
  await run('npm', ['run', '--silent', 'setup'], { cwd: folder });
};

/** Processor seconds of a process once it has finished what the requests left to do in the background. */
const cpuAtRest = async (pid: number): Promise<number> => {
  const until = Date.now() + 10_000;
  let before = cpuSeconds(pid);
  for (;;) {
    await pause(200);
    const now = cpuSeconds(pid);
    if (now - before <= 0.01 || Date.now() > until) return now;
    before = now;
  }
};

/** Microseconds of the product's processor time per request while the operation is repeated for some seconds. */
const costOf = async ({ pid }: Product, { act, requests }: Operation, seconds: number): Promise<number> => {
  const before = await cpuAtRest(pid);
  const end = performance.now() + seconds * 1000;
  let times = 0;
  const repeat = async (connection: number): Promise<void> => {
    while (performance.now() < end) {
      await act(connection);
      times += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => repeat(connection)));
  return (((await cpuAtRest(pid)) - before) / (times * requests)) * 1e6;
};

/**
 * Both revisions run side by side, each as `npm start` runs it, and take turns, so that other load on the machine
 * affects both alike.
 */
export const revisions: Benchmark = {
  about: 'processor time per request against another revision; --against REVISION (--pairs 10, --seconds 2)',
  strict: true,
  async run(progress, { against, pairs = '10', seconds = '2' }) {
    if (!against) throw new Error('--against names the revision to compare with');
    if (!(Number(pairs) >= FEWEST)) throw new Error(`--pairs is at least ${FEWEST}, not ${pairs}`);
    const scratch = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
    const products: Product[] = [];
    try {
      progress(`checking ${against} out`);
      const other = join(scratch, 'checkout');
      await checkOut(against, other);
      progress('starting both with the demo data');
      const before = await startProduct(join(scratch, 'before'), UNLIMITED, other);
      products.push(before);
      const now = await startProduct(join(scratch, 'now'), UNLIMITED);
      products.push(now);
      const sides = [
        { product: before, operations: await operationsOf(before, CONNECTIONS) },
        { product: now, operations: await operationsOf(now, CONNECTIONS) },
      ] as const;
      const rows: (string | number)[][] = [];
      const targets = [];
      for (const [index, { name }] of sides[0].operations.entries()) {
        const costs: [number, number][] = [];
        // The first pair warms up.
        for (let pair = 0; pair <= Number(pairs); pair += 1) {
          progress(`${name}, pair ${pair} of ${pairs}`);
          const cost = [Number.NaN, Number.NaN] as [number, number];
          for (const side of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
            const { product, operations } = sides[side];
            const operation = operations[index];
            if (operation) cost[side] = await costOf(product, operation, Number(seconds));
          }
          if (pair > 0) costs.push(cost);
        }
        const { median, low, high } = medianInterval(costs.map(([old, present]) => present / old));
        const medianOf = (side: 0 | 1) =>
          quantile(
            costs.map((cost) => cost[side]),
            0.5,
          );
        rows.push([name, medianOf(0), medianOf(1), median, low, high]);
        targets.push({
          what: name,
          target: `95 % interval not beyond ${TOLERATED} ×`,
          reached: `${low.toFixed(2)} to ${high.toFixed(2)} ×`,
          met: low <= TOLERATED,
        });
      }
      for (const { operations } of sides) for (const { close } of operations) close();
      return {
        name: 'revisions',
        about: this.about,
        columns: ['', `CPU µs at ${against}`, 'CPU µs now', 'ratio', 'at least', 'at most'],
        rows,
        targets,
      };
    } finally {
      for (const product of products) await product.stop();
      rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};
