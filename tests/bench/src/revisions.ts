// This checkout against another revision, by processor time per request.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Operation, operationsOf } from './client/operations.ts';
import { cpuSeconds } from './measure/child.ts';
import { FEWEST, medianInterval } from './measure/interval.ts';
import { HERE, inScratch, type Product, startProduct, UNLIMITED } from './measure/product.ts';
import { type Benchmark, median, type Target } from './measure/report.ts';

const run = promisify(execFile);

/** A revision may cost so much more processor time per request than the other one. */
const TOLERATED = 1.1;

/** Requests in flight at a time. */
const CONNECTIONS = 4;

/** Checks a revision out into the folder, with its dependencies. @throws {Error} for an unknown revision */
const checkOut = async (revision: string, folder: string): Promise<void> => {
  await run('git', ['clone', '--quiet', '--no-checkout', HERE, folder]);
  const { stdout } = await run('git', ['rev-parse', '--verify', `${revision}^{commit}`], { cwd: HERE });
  await run('git', ['checkout', '--quiet', '--detach', stdout.trim()], { cwd: folder });
  await run('npm', ['run', '--silent', 'setup'], { cwd: folder });
};

/** Processor seconds of a process once it has finished what the requests left to do in the background. */
const cpuAtRest = async (pid: number): Promise<number> => {
  const until = Date.now() + 10_000;
  let before = cpuSeconds(pid);
  for (;;) {
    await delay(200);
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
    return inScratch(async (scratch) => {
      const products: Product[] = [];
      const side = async (name: string, checkout: string) => {
        const product = await startProduct(join(scratch, name), UNLIMITED, checkout);
        products.push(product);
        return { product, operations: await operationsOf(product, CONNECTIONS) };
      };
      try {
        progress(`checking ${against} out`);
        const other = join(scratch, 'checkout');
        await checkOut(against, other);
        progress('starting both with the demo data');
        const sides = [await side('before', other), await side('now', HERE)] as const;
        const rows: (string | number)[][] = [];
        const targets: Target[] = [];
        for (const [index, { name }] of sides[0].operations.entries()) {
          const costs: [number, number][] = [];
          // The first pair warms up.
          for (let pair = 0; pair <= Number(pairs); pair += 1) {
            progress(`${name}, pair ${pair} of ${pairs}`);
            const cost: [number, number] = [Number.NaN, Number.NaN];
            for (const at of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
              const { product, operations } = sides[at];
              const operation = operations[index];
              if (operation) cost[at] = await costOf(product, operation, Number(seconds));
            }
            if (pair > 0) costs.push(cost);
          }
          const ratio = medianInterval(costs.map(([old, present]) => present / old));
          const [before, now] = [median(costs.map(([old]) => old)), median(costs.map(([, present]) => present))];
          rows.push([name, before, now, ratio.median, ratio.low, ratio.high]);
          targets.push({
            what: name,
            target: `95 % interval not beyond ${TOLERATED} ×`,
            reached: `${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)} ×`,
            met: ratio.low <= TOLERATED,
          });
        }
        const columns = ['', `CPU µs at ${against}`, 'CPU µs now', 'ratio', 'at least', 'at most'];
        return { columns, rows, targets };
      } finally {
        for (const product of products) await product.stop();
      }
    });
  },
};
