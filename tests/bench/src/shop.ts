// The benchmark of a web shop on the point-of-sale API.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Comparison } from '../measure/compare.ts';
import { startProduct, UNLIMITED } from '../measure/product.ts';
import { type Benchmark, quantile, type Report, round } from '../measure/report.ts';
import { EVERY_SECONDS, measureSale, type Sale, VISITORS, type Window } from './sale.ts';
import { sellInShop } from './sell.ts';
import { PLACES, readSpeeds, writeSpeeds } from './speed.ts';

const TARGET_READS = 0.5;
const TARGET_SALE = 0.9;

const speedRow = (name: string, { ours, bare, ratio }: Comparison): (string | number)[] => [
  name,
  ours.rate,
  ours.p50,
  ours.p99,
  ours.cpu,
  bare.rate,
  bare.p99,
  bare.cpu,
  ratio,
];

const saleRow = (name: string, windows: readonly Window[]): (string | number)[] => {
  const all = windows.flatMap(({ purchaseMs }) => purchaseMs);
  const median = (figure: (window: Window) => number) => quantile(windows.map(figure), 0.5);
  return [
    name,
    median(({ aMinute }) => aMinute / 60),
    quantile(all, 0.5),
    quantile(all, 0.99),
    median(({ cpuMs }) => cpuMs * 1000),
    '',
    '',
    '',
    '',
  ];
};

/** The cost of a read is the difference between a purchase's CPU time with and without readers. */
const looksRow = ({ alone, watched }: Sale): (string | number)[] => {
  const all = watched.flatMap(({ looksMs }) => looksMs);
  const rate = quantile(
    watched.map(({ looks }) => looks),
    0.5,
  );
  const costs = watched.map((one, round) => {
    const more = one.cpuMs - (alone[round]?.cpuMs ?? Number.NaN);
    return (more * one.purchaseMs.length * 1000) / one.looksMs.length;
  });
  return ['its visitors', rate, quantile(all, 0.5), quantile(all, 0.99), quantile(costs, 0.5), '', '', '', ''];
};

const target = (what: string, ratio: number, least: number): Report['targets'][number] => ({
  what,
  target: `≥ ${least} ×`,
  reached: `${round(ratio)} ×`,
  met: ratio >= least,
});

/**
 * The requests of a web shop to the point-of-sale API, over HTTPS through the gateway, and a sale with many readers.
 */
export const shop: Benchmark = {
  about:
    'list, product, cart and checkout of a shop against a bare HTTPS proxy that sends the same bytes; a sale with readers (--seconds 4)',
  async run(progress, { seconds = '4' }) {
    const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
    progress('starting the product with its demo data');
    const product = await startProduct(directory, UNLIMITED);
    const stop = async (): Promise<void> => {
      await product.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    };
    const measure = async () => {
      const reads = await readSpeeds(product, Number(seconds), progress);
      const { hot, productId } = await sellInShop(product, PLACES + 40_000);
      const writes = await writeSpeeds(product, hot, progress);
      return { ...reads, ...writes, sale: await measureSale(product, hot, productId, Number(seconds), progress) };
    };
    const { list, detail, listInSession, detailInSession, cart, checkout, sale } = await measure().finally(stop);
    return {
      name: 'shop',
      about: this.about,
      columns: ['', '/s', 'p50 ms', 'p99 ms', 'CPU µs', 'bare/s', 'bare p99 ms', 'bare CPU µs', 'ratio'],
      rows: [
        speedRow('list, 20 of 254 shows', list),
        speedRow('product with availability', detail),
        speedRow('list, in a session', listInSession),
        speedRow('product, in a session', detailInSession),
        speedRow('cart write', cart),
        speedRow('checkout', checkout),
        saleRow('purchases of one show, without readers', sale.alone),
        saleRow(`with ${VISITORS} visitors, each every ${EVERY_SECONDS} s`, sale.watched),
        looksRow(sale),
      ],
      targets: [
        target('list against bare proxy, median', list.ratio, TARGET_READS),
        target('product against bare proxy, median', detail.ratio, TARGET_READS),
        target('sale with readers against without, median', sale.ratio, TARGET_SALE),
      ],
    };
  },
};
