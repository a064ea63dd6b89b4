import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Credentials, openClient, requestAuthorization } from '@boxoffice/testkit';
import { type Buyer, createBuyer, must, putOnSale, readAddress, sellOne } from './clients.ts';
import { HERE, type Product, runWithProduct } from './measure/processes.ts';
import {
  type Benchmark,
  computeMedian,
  createMaximumTarget,
  createMinimumTarget,
  findTooFewPairs,
} from './measure/report.ts';
import { computeRatio, measureInTurns, type Way } from './measure/turns.ts';

const CLIENTS = 32;
/** Of each performance, and uses of the code. */
const PLACES = 40_000;
const CODE = 'FINAL';

const run = promisify(execFile);

/** An institution that has nothing but a client with all scopes; returns its authorization. */
const createHouse = async (product: Product, id: string): Promise<string> => {
  const operate = (...words: string[]) =>
    run(process.execPath, ['--conditions=source', join(HERE, 'deploy/operator/src/main.ts'), ...words], {
      env: { ...process.env, BOXOFFICE_DATA_DIR: dirname(product.caFile) },
    });
  await operate('institutions', 'create', id, '--name', id, '--currency', 'CHF', '--languages', 'fr,en,de');
  const { stdout } = await operate('clients', 'create', id, '--name', 'bench', '--scopes', 'all', '--json');
  const client: Credentials = JSON.parse(stdout);
  return requestAuthorization(openClient(readAddress(product)), client);
};

/** Two taxes, a fee per ticket, an automatic discount without a limit, and another one with a limited code. */
const priceHouse = async (buyer: Buyer, productId: string): Promise<void> => {
  const send = async (method: string, path: string, body: object): Promise<string> =>
    must(await buyer.send<{ readonly id: string }>(method, `/svc/v3/catalog/${path}`, body)).data.id;
  const name = { fr: 'Nom', en: 'Name', de: 'Name' };
  const [reduced, taxId] = [
    await send('POST', 'taxes', { code: 'reduced', name, rate: '2.6' }),
    await send('POST', 'taxes', { code: 'standard', name, rate: '8.1' }),
  ];
  await send('PATCH', `products/${productId}`, { taxId: reduced });
  await send('POST', 'fees', { code: 'booking', name, per: 'ticket', amount: 250, taxId });
  await send('POST', 'discounts', { name, trigger: 'automatic', effect: { percent: '10' } });
  const coded = { name, trigger: 'code', effect: { percent: '20' } };
  const discountId = await send('POST', 'discounts', coded);
  await send('POST', `discounts/${discountId}/codes`, { codes: [{ code: CODE, maxUses: PLACES }] });
};

const open = async (product: Product, id: string) => {
  const authorization = await createHouse(product, id);
  const buyers = Array.from({ length: CLIENTS }, () => createBuyer(product, authorization));
  const [first] = buyers as [Buyer];
  const hot = await putOnSale(first, PLACES);
  const way = (codes?: readonly string[]): Way => ({
    pid: product.pid,
    requests: 1,
    act: async (connection) => must(await sellOne(buyers[connection] as Buyer, hot, codes)),
  });
  const close = () => {
    for (const buyer of buyers) buyer.close();
  };
  return { first, hot, way, close };
};

const measure = async (product: Product, rounds: number, seconds: number, progress: (line: string) => void) => {
  const [plain, priced] = [await open(product, 'plain'), await open(product, 'priced')];
  await priceHouse(priced.first, priced.hot.productId);
  const ways = [plain.way(), priced.way(), priced.way([CODE])];
  const loads = await measureInTurns(ways, { rounds, seconds, connections: CLIENTS }, progress);
  plain.close();
  priced.close();
  return loads;
};

/** What prices that are made of something cost beside bare ones, and how fast one code is claimed. */
export const prices: Benchmark = {
  about: `sales in one call by ${CLIENTS} clients: with two taxes, a fee and a discount, and with a limited code, beside bare prices (--pairs 10, --seconds 3)`,
  findMissing: ({ pairs }) => findTooFewPairs(pairs),
  async run(progress, { pairs = '10', seconds = '3' }) {
    progress('starting the product');
    const sell = (product: Product) => measure(product, Number(pairs), Number(seconds), progress);
    const loads = await runWithProduct(sell, { BOXOFFICE_DEMO: 'off' });
    const [plain = [], ...others] = loads;
    const cpu = (of: typeof plain) => of.map((load) => load.cpu);
    const perMinute = (of: typeof plain) => of.map((load) => load.perMinute);
    const costs = others.map((each) => computeRatio(cpu(each), cpu(plain)));
    const rates = others.map((each) => computeRatio(perMinute(each), perMinute(plain)));
    const names = ['bare prices', 'two taxes, a fee, a discount', 'and a limited code'];
    return {
      columns: ['', 'CPU µs a sale', 'ratio', 'at least', 'at most', 'sales a minute', 'ratio'],
      rows: loads.map((each, index) => {
        const { median = 1, low = 1, high = 1 } = costs[index - 1] ?? {};
        const rate = rates[index - 1]?.median ?? 1;
        return [names[index] ?? '', computeMedian(cpu(each)), median, low, high, computeMedian(perMinute(each)), rate];
      }),
      targets: [
        createMaximumTarget('processor time of composed prices', costs[0]?.median ?? Number.NaN, 1.1, '×'),
        createMaximumTarget('processor time with a limited code', costs[1]?.median ?? Number.NaN, 1.25, '×'),
        createMinimumTarget(`sales with one code by ${CLIENTS} clients`, rates[1]?.median ?? Number.NaN, 0.5),
      ],
    };
  },
};
