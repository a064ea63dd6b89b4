import type { BareShop } from '../shop/bare-shop.ts';
import { cpuSeconds } from './child.ts';
import type { Product } from './product.ts';
import { quantile } from './report.ts';

/** The measurements of one round of a load. */
export interface Measured {
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU time per request. */
  readonly cpu: number;
}

/** Applies a load to an origin whose processes have used `cpu()` seconds so far. */
export type Measure = (origin: string, cpu: () => number) => Promise<Measured>;

/** The measurements of the product and of the bare proxy in the same run, each the median of the rounds. */
export interface Comparison {
  readonly ours: Measured;
  readonly bare: Measured;
  readonly ratio: number;
}

const medians = (all: readonly Measured[]): Measured => {
  const median = (name: keyof Measured) =>
    quantile(
      all.map((one) => one[name]),
      0.5,
    );
  return { rate: median('rate'), p50: median('p50'), p99: median('p99'), cpu: median('cpu') };
};

/** Loads the bare proxy and the product alternately; a first round, which warms both up, does not count. */
export const compare = async (
  product: Product,
  bare: BareShop,
  measure: Measure,
  rounds: number,
): Promise<Comparison> => {
  const pairs: { ours: Measured; bare: Measured }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const theirs = await measure(bare.origin, bare.cpu);
    const ours = await measure(product.baseUrl, () => cpuSeconds(product.pid));
    if (round > 0) pairs.push({ ours, bare: theirs });
  }
  return {
    ours: medians(pairs.map(({ ours }) => ours)),
    bare: medians(pairs.map((pair) => pair.bare)),
    ratio: quantile(
      pairs.map(({ ours, bare: theirs }) => ours.rate / theirs.rate),
      0.5,
    ),
  };
};
