import type { Hot } from '../client/buyer.ts';
import { cpuSeconds } from '../measure/child.ts';
import type { Product } from '../measure/product.ts';
import { quantile } from '../measure/report.ts';
import { checkOut, createVisitor, fillCart, type Visitor } from './visitor.ts';

const BUYERS = 16;
const ROUNDS = 6;
const CONNECTIONS = 50;

/** Visitors with the show open, each of whom reads it again at intervals. */
export const VISITORS = 1_000;
export const EVERY_SECONDS = 5;

const TICK_MS = 20;

/** The measurements of one window of a sale. */
export interface Window {
  readonly aMinute: number;
  /** Milliseconds from the first byte of the cart write to the last one of the order. */
  readonly purchaseMs: readonly number[];
  /** Milliseconds of the visitors' reads. */
  readonly looksMs: readonly number[];
  /** Reads per second. */
  readonly looks: number;
  /** Milliseconds of the product's CPU time per purchase, reads included. */
  readonly cpuMs: number;
}

/** Reads at a steady rate, independent of the response times; resolves when the last response has arrived. */
const look = async (visitor: Visitor, path: string, until: () => boolean): Promise<number[]> => {
  const times: number[] = [];
  const underWay = new Set<Promise<unknown>>();
  const started = performance.now();
  let sent = 0;
  let failure: unknown;
  while (!until() && failure === undefined) {
    const due = ((performance.now() - started) / 1000) * (VISITORS / EVERY_SECONDS);
    for (; sent < due; sent += 1) {
      const began = performance.now();
      const one = visitor.send('GET', path).then(
        () => times.push(performance.now() - began),
        (error: unknown) => {
          failure = error;
        },
      );
      underWay.add(one);
      void one.then(() => underWay.delete(one));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(underWay);
  if (failure !== undefined) throw failure;
  return times;
};

const sell = async (product: Product, hot: Hot, seconds: number, path: string | undefined): Promise<Window> => {
  const buyers = Array.from({ length: BUYERS }, () => createVisitor(product.baseUrl));
  const readers = createVisitor(product.baseUrl, CONNECTIONS);
  const purchaseMs: number[] = [];
  const [before, started] = [cpuSeconds(product.pid), performance.now()];
  const isOver = () => performance.now() - started > seconds * 1000;
  const buy = async (buyer: Visitor): Promise<void> => {
    while (!isOver()) {
      const began = performance.now();
      await checkOut(buyer, (await fillCart(buyer, hot)).token);
      purchaseMs.push(performance.now() - began);
    }
  };
  const [looksMs] = await Promise.all([path === undefined ? [] : look(readers, path, isOver), ...buyers.map(buy)]);
  const took = (performance.now() - started) / 1000;
  for (const visitor of [readers, ...buyers]) visitor.close();
  return {
    aMinute: (purchaseMs.length / took) * 60,
    purchaseMs,
    looksMs,
    looks: looksMs.length / took,
    cpuMs: ((cpuSeconds(product.pid) - before) / purchaseMs.length) * 1000,
  };
};

/** A sale without and with readers, alternately; `ratio` is the median of the pairs' purchases per minute. */
export interface Sale {
  readonly alone: readonly Window[];
  readonly watched: readonly Window[];
  readonly ratio: number;
}

/** Sells one performance alone, and while a thousand visitors read its show. */
export const measureSale = async (
  product: Product,
  hot: Hot,
  productId: string,
  seconds: number,
  progress: (line: string) => void,
): Promise<Sale> => {
  const path = `/tnwr/v1/products/${productId}`;
  const [alone, watched, ratios]: [Window[], Window[], number[]] = [[], [], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`sale without and with readers, round ${round} of ${ROUNDS}`);
    // In alternating order, so that the cost of a growing installation counts for neither.
    const watchedFirst = round % 2 === 0;
    const first = await sell(product, hot, seconds, watchedFirst ? path : undefined);
    const second = await sell(product, hot, seconds, watchedFirst ? undefined : path);
    const [own, shared] = watchedFirst ? [second, first] : [first, second];
    alone.push(own);
    watched.push(shared);
    ratios.push(shared.aMinute / own.aMinute);
  }
  return { alone, watched, ratio: quantile(ratios, 0.5) };
};
