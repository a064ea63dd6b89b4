// Of the fault harness, what other programs use: a sale beside their own test.

import type { Address } from '@boxoffice/testkit';
import { openApi } from './client/api.ts';
import { openBuyer } from './client/buyer.ts';
import type { Partner } from './deployment/deployment.ts';
import { countOutcomes, createJournal, type Entry } from './round/journal.ts';
import { createRandom } from './round/random.ts';
import { openHall } from './round/stage.ts';
import { tradeUntilEnough } from './round/traffic.ts';

/**
 * Puts a performance of a running installation on sale and starts to buy, through its gateway alone. `reference` is
 * unique in the installation.
 */
export async function openConcurrentSale(
  installation: { readonly address: Address; readonly partner: Partner },
  { reference, buyers, capacity }: { readonly reference: string; readonly buyers: number; readonly capacity: number },
) {
  const api = openApi(installation);
  const hall = await openHall(api, reference, [{ code: 'FLOOR', capacity }]);
  const journal = createJournal();
  const random = createRandom(reference);
  let over = false;
  const trading = Array.from({ length: buyers }, (_, index) => {
    const own = random.fork(`buyer ${index}`);
    const buyer = openBuyer({ api, journal, random: own, reference, persistent: true });
    return tradeUntilEnough(buyer, hall, own.fork('trade'), () => over);
  });
  return {
    /** The outcomes so far. */
    entries: journal.entries as readonly Entry[],
    /** The outcomes of its requests, as the buyers know them. */
    counts: () => countOutcomes(journal),
    async end(): Promise<void> {
      over = true;
      await Promise.all(trading);
    },
  };
}
