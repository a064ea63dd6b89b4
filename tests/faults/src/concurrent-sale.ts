import type { Address } from '@boxoffice/testkit';
import { openApi } from './client/api.ts';
import { openBuyer } from './client/buyer.ts';
import { trade } from './client/trade.ts';
import type { Partner } from './deployment/installation.ts';
import { checkRound } from './invariants/index.ts';
import { createCheck } from './invariants/verdict.ts';
import { countsOf, createJournal } from './round/journal.ts';
import { observeState } from './round/observed-state.ts';
import { randomFrom } from './round/random.ts';
import { openHall } from './round/stage.ts';

/** The outcomes of a sale's requests, as its buyers know them. */
export interface SaleCounts {
  readonly ok: number;
  readonly refused: number;
  /** Requests without a conclusive response. */
  readonly unknown: number;
  /** Requests that failed or got no response, also where a repeat succeeded. */
  readonly failures: number;
  /** The responses to those requests, in order. */
  readonly stories: readonly string[];
}

/** The result of a sale once it is quiet. */
export interface SaleVerdict {
  /** Seconds until every invariant held; the whole timeout when one never did. */
  readonly seconds: number;
  /** The number of comparisons. */
  readonly checked: number;
  readonly violations: readonly string[];
}

/** Buyers of one performance of a running installation, which is accessed only through its gateway. */
export interface ConcurrentSale {
  counts(): SaleCounts;
  /** Stops new purchases and resolves when the started ones are finished. */
  end(): Promise<void>;
  /** Compares the buyers' journal with the installation until both agree and stay so, or the timeout has passed. */
  settle(patienceMs?: number): Promise<SaleVerdict>;
}

const STEADY_MS = 2_000;
const LOOK_EVERY_MS = 500;

/** Puts a performance on sale and starts to buy. `reference` is unique in the installation. */
export const openConcurrentSale = async (
  { address, partner }: { readonly address: Address; readonly partner: Partner },
  { reference, buyers, capacity = 3_000 }: { reference: string; buyers: number; capacity?: number },
): Promise<ConcurrentSale> => {
  const api = openApi({ address, partner });
  const since = new Date(Date.now() - 1_000);
  const hall = await openHall(api, reference, [{ code: 'FLOOR', capacity }]);
  const journal = createJournal();
  const random = randomFrom(reference);
  let over = false;
  const trading = Array.from({ length: buyers }, (_, index) => {
    const own = random.fork(`buyer ${index}`);
    const buyer = openBuyer({ api, journal, random: own, reference, persistent: true });
    return trade(buyer, hall, own.fork('trade'), () => over);
  });

  const look = async () => {
    const check = createCheck();
    const { entries, checkouts, carts } = journal;
    const observed = await observeState(api, { hall, reference, since }, carts);
    checkRound({ entries, checkouts, observed }, check);
    return check.verdict;
  };

  return {
    counts() {
      const failed = journal.entries.filter(({ unknownTries }) => unknownTries > 0);
      return {
        ...countsOf(journal),
        failures: failed.reduce((sum, { unknownTries }) => sum + unknownTries, 0),
        stories: failed.map(({ action, key, story }) => `${action} ${key}: ${story.join(', ')}`),
      };
    },
    async end() {
      over = true;
      await Promise.all(trading);
    },
    async settle(patienceMs = 60_000) {
      const startedAt = performance.now();
      const passed = () => performance.now() - startedAt;
      let clean: number | undefined;
      for (;;) {
        const at = passed();
        const { checked, violations } = await look();
        if (violations.length > 0) clean = undefined;
        else clean ??= at;
        const steady = clean !== undefined && at - clean >= STEADY_MS;
        if (steady || (clean === undefined && at > patienceMs)) {
          const seconds = (clean ?? at) / 1000;
          return { seconds, checked, violations: violations.map(({ invariant, text }) => `${invariant}: ${text}`) };
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
  };
};
