// This checkout against another revision, by processor time per request.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Buyer,
  checkOut,
  confirm,
  createBuyer,
  createVisitor,
  fillCart,
  holdOne,
  must,
  requestOperaAuthorization,
  sellInShop,
  sellOne,
  type Visitor,
} from './clients.ts';
import { HERE, type Product, runInScratchDirectory, startProduct, UNLIMITED } from './measure/processes.ts';
import { type Benchmark, computeMedian, findTooFewPairs, type Target } from './measure/report.ts';
import { computeRatio, measureInTurns, type Way } from './measure/turns.ts';

interface Operation extends Omit<Way, 'pid'> {
  readonly name: string;
}

/** Enough places for every purchase of a long measurement. */
const PLACES = 100_000;

/** What partners and visitors do most, over HTTPS through the gateway, on so many connections. */
const operationsOf = async (
  product: Product,
  connections: number,
  isBefore: boolean,
): Promise<readonly Operation[]> => {
  const authorization = await requestOperaAuthorization(product);
  const { clientId, clientSecret } = product.client('full');
  const hot = await sellInShop(product, PLACES);
  const buyers = Array.from({ length: connections }, () => createBuyer(product, authorization));
  const visitors = Array.from({ length: connections }, () => createVisitor(product.baseUrl));
  const byBuyer = (name: string, requests: number, act: (buyer: Buyer) => Promise<unknown>): Operation => ({
    name,
    requests,
    act: (connection) => act(buyers[connection] as Buyer),
  });
  const byVisitor = (name: string, requests: number, act: (visitor: Visitor) => Promise<unknown>): Operation => ({
    name,
    requests,
    act: (connection) => act(visitors[connection] as Visitor),
  });
  const buyInTwoCalls = async (one: Buyer) => must(await confirm(one, must(await holdOne(one, hot)).data.id));
  const read = (name: string, path: string) => byBuyer(name, 1, async (one) => must(await one.send('GET', path)));
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return [
    byBuyer('token', 1, async (one) => must(await one.send('POST', '/auth/token', new URLSearchParams(form)))),
    read('list of contacts', '/svc/v3/contacts/individuals?limit=20'),
    read('list of products', '/svc/v3/catalog/products?limit=20'),
    read('performance', `/svc/v3/catalog/performances/${hot.performanceId}`),
    byBuyer('order, confirmed', 2, buyInTwoCalls),
    // A sale is one request in both columns, whatever its calls.
    byBuyer('sale in one call, before in two', 1, (one) =>
      isBefore ? buyInTwoCalls(one) : sellOne(one, hot).then(must),
    ),
    byVisitor('shop: list of products', 1, (one) => one.send('GET', '/tnwr/v1/products?limit=20&type=show')),
    byVisitor('shop: product', 1, (one) => one.send('GET', `/tnwr/v1/products/${hot.productId}`)),
    byVisitor('shop: cart and checkout', 2, async (one) => checkOut(one, await fillCart(one, hot))),
  ];
};

const run = promisify(execFile);

/** A revision may cost so much more processor time per request than the other one. */
const TOLERATED = 1.1;

const CONNECTIONS = 4;

/** Checks a revision out into the folder, with its dependencies. @throws {Error} for an unknown revision */
const checkOutRevision = async (revision: string, folder: string): Promise<void> => {
  await run('git', ['clone', '--quiet', '--no-checkout', HERE, folder]);
  const { stdout } = await run('git', ['rev-parse', '--verify', `${revision}^{commit}`], { cwd: HERE });
  await run('git', ['checkout', '--quiet', '--detach', stdout.trim()], { cwd: folder });
  await run('npm', ['run', '--silent', 'setup'], { cwd: folder });
};

/** Both run side by side, each as `npm start` runs it, and take turns, so that other load affects both alike. */
export const revisions: Benchmark = {
  about:
    'processor time per request against another revision; --against REVISION (--pairs 10, --seconds 2, --only NAME)',
  strict: true,
  findMissing: ({ against, pairs }) =>
    against ? findTooFewPairs(pairs) : 'needs --against, the revision to compare with',
  async run(progress, { against = '', pairs = '10', seconds = '2', only = '' }) {
    return runInScratchDirectory(async (scratch) => {
      const products: Product[] = [];
      const side = async (name: string, checkout: string) => {
        const product = await startProduct(join(scratch, name), UNLIMITED, checkout);
        products.push(product);
        return { product, operations: await operationsOf(product, CONNECTIONS, checkout !== HERE) };
      };
      try {
        progress(`checking ${against} out`);
        const other = join(scratch, 'checkout');
        await checkOutRevision(against, other);
        progress('starting both with the demo data');
        const sides = [await side('before', other), await side('now', HERE)] as const;
        const rows: (string | number)[][] = [];
        const targets: Target[] = [];
        for (const [index, { name }] of sides[0].operations.entries()) {
          if (!name.includes(only)) continue;
          const ways = sides.map(({ product, operations }) => ({
            ...(operations[index] as Operation),
            pid: product.pid,
          }));
          const turns = { rounds: Number(pairs), seconds: Number(seconds), connections: CONNECTIONS };
          const [before = [], now = []] = await measureInTurns(ways, turns, (line) => progress(`${name}, ${line}`));
          const [old, present] = [before, now].map((loads) => loads.map(({ cpu }) => cpu)) as [number[], number[]];
          const ratio = computeRatio(present, old);
          rows.push([name, computeMedian(old), computeMedian(present), ratio.median, ratio.low, ratio.high]);
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
