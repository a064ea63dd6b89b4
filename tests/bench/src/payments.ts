import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from '@boxoffice/testkit';
import {
  type Buyer,
  checkOut,
  checkOutOnPage,
  createBuyer,
  createVisitor,
  fillCart,
  type Hot,
  must,
  readAddress,
  requestOperaAuthorization,
  sellInShop,
  type Visitor,
} from './clients.ts';
import { type Product, runWithProduct } from './measure/processes.ts';
import { type Benchmark, computeMedian, computeQuantile, createMaximumTarget } from './measure/report.ts';

const PAIRS = 150;
const WARM_UP = 20;
const LOOK_MS = 5;
const PATIENCE_MS = 30_000;

/** Pays on the page; resolves with the milliseconds from its answer until the institution reads the tickets' codes. */
const payUntilTickets = async (product: Product, buyer: Buyer, orderId: string, url: string): Promise<number> => {
  const page = openClient(readAddress(product));
  const { pathname } = new URL(url);
  const reply = await page(pathname, { method: 'POST', body: new URLSearchParams({ outcome: 'pay' }) });
  if (reply.status !== 303) throw new Error(`the page answered ${reply.status}`);
  const answered = performance.now();
  for (;;) {
    const { data } = must(await buyer.send<SoldOrder>('GET', `/svc/v3/orders/${orderId}?include=tickets`));
    if (data.tickets?.some(({ barcode }) => barcode)) return performance.now() - answered;
    if (performance.now() - answered > PATIENCE_MS) throw new Error(`${orderId} is ${data.state}, and has no tickets`);
    await delay(LOOK_MS);
  }
};

interface SoldOrder {
  readonly state: string;
  readonly tickets: readonly { readonly barcode: string | null }[] | null;
}

const measureCheckouts = async (product: Product, visitor: Visitor, buyer: Buyer, hot: Hot) => {
  const [simulated, onPage, toTickets]: [number[], number[], number[]] = [[], [], []];
  for (let pair = -WARM_UP; pair < PAIRS; pair += 1) {
    const first = await checkOut(visitor, await fillCart(visitor, hot));
    const second = await checkOutOnPage(visitor, await fillCart(visitor, hot));
    const { id, payment } = second.body.data;
    const ms = await payUntilTickets(product, buyer, id, payment.url);
    if (pair < 0) continue;
    simulated.push(first.ms);
    onPage.push(second.ms);
    toTickets.push(ms);
  }
  return { simulated, onPage, toTickets };
};

const measure = async (product: Product, progress: (line: string) => void) => {
  const hot = await sellInShop(product, 4 * (PAIRS + WARM_UP));
  const visitor = createVisitor(product.baseUrl);
  const buyer = createBuyer(product, await requestOperaAuthorization(product));
  progress(`${PAIRS} pairs of checkouts, one after the other`);
  try {
    return await measureCheckouts(product, visitor, buyer, hot);
  } finally {
    visitor.close();
    buyer.close();
  }
};

/** What a payment on a provider's page costs beside a simulated one, with the simulated provider, in one process. */
export const payments: Benchmark = {
  about: 'a checkout that opens a payment page beside a simulated payment, from paying to tickets',
  async run(progress) {
    progress('starting the product with its demo data');
    const { simulated, onPage, toTickets } = await runWithProduct((product) => measure(product, progress));
    const [less, more] = [computeMedian(simulated), computeMedian(onPage)];
    return {
      columns: ['', 'simulated', 'on a page', 'ratio'],
      rows: [
        ['checkout, p50 ms', less, more, more / less],
        ['checkout, p99 ms', computeQuantile(simulated, 0.99), computeQuantile(onPage, 0.99), ''],
        ['paid to tickets, p50 ms', '', computeMedian(toTickets), ''],
        ['paid to tickets, p99 ms', '', computeQuantile(toTickets, 0.99), ''],
      ],
      targets: [
        createMaximumTarget('checkout on a page beside a simulated one, p50', more - less, 40, 'ms'),
        createMaximumTarget('paid to tickets, p99', computeQuantile(toTickets, 0.99), 500, 'ms'),
      ],
    };
  },
};
