import { randomUUID } from 'node:crypto';
import { openApi } from '../../src/client/api.ts';
import { trade } from '../../src/client/trade.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import type { Entry } from '../../src/round/journal.ts';
import { randomFrom } from '../../src/round/random.ts';
import { beginRound, buyersOf } from '../../src/round/round.ts';

const BUYERS = 16;

/** A sale that continues until `end`: orders, payments, prints, controls and cancellations at once. */
export interface Selling {
  /** The clients' responses so far. */
  readonly entries: readonly Entry[];
  end(): Promise<void>;
}

/** Starts to sell on a running product. */
export const sell = async (deployment: Deployment, places: number): Promise<Selling> => {
  const api = openApi(deployment);
  const random = randomFrom(randomUUID());
  const reference = `sale-${randomUUID().slice(0, 6)}`;
  const context = { deployment, api, random, seed: reference, turn: 0, reference, size: 'short' } as const;
  const round = await beginRound(context, [{ code: 'FLOOR', capacity: places }]);
  let over = false;
  const buyers = buyersOf(context, round, BUYERS);
  const all = buyers.map((buyer, index) => trade(buyer, round.hall, random.fork(`buyer ${index}`), () => over));
  return {
    get entries() {
      return round.journal.entries;
    },
    async end() {
      over = true;
      await Promise.all(all);
    },
  };
};

/** The orders that clients know to exist: their creation was answered with success. */
export const ordersKnown = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ action, outcome, answer }) =>
    action === 'create' && outcome === 'ok' ? [(answer as { readonly id: string }).id] : [],
  );
