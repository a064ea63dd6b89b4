import { contention } from '../scenarios/contention.ts';
import { doubled } from '../scenarios/doubled.ts';
import { killsAt } from '../scenarios/kills.ts';
import { pausesOf } from '../scenarios/pauses.ts';
import type { Control } from './control.ts';

/** The lease of a dead process looks alive for ever. */
export const leaseNeverLapses: Control = {
  name: 'lease-never-lapses',
  bug: 'the watch of a lease restarts at each look, so the steps of a dead process are never taken over',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/orders/src/steps/lease.ts',
      from: 'if (seen?.beat === beat) return clock() - seen.since >= LAPSE_MS;',
      to: 'if (seen?.beat === beat && clock() - seen.since >= LAPSE_MS) return true;',
    },
  ],
  scenario: killsAt(['orders-after-hold', 'catalog-sale-answered', 'orders-before-sale']),
};

/** A hold that arrives after its draft was abandoned takes places. */
export const releaseWithoutVersion: Control = {
  name: 'release-without-version',
  bug: "the release of a step's places does not carry the version of the order",
  engines: 'scaled',
  mutations: [
    {
      file: 'services/orders/src/steps/stock.ts',
      from: 'await stock.release(institution, id, { ...which, asOf });',
      to: 'await stock.release(institution, id, { ...which });',
    },
  ],
  scenario: pausesOf([8, 8, 8], 'catalog'),
};

/** An expiry releases what the order has got since. */
export const olderEventObeyed: Control = {
  name: 'older-event-obeyed',
  bug: 'the expiry of an earlier version of an order releases the places that it has bought since',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/catalog/src/stock/releases.ts',
      from: 'where: { holder: orderId, asOf: { lt: before } }',
      to: 'where: { holder: orderId }',
    },
  ],
  scenario: doubled,
};

/** An attempt that finds too few places retains those that it found. */
export const holdForgotten: Control = {
  name: 'hold-forgotten',
  bug: 'a hold that finds too few places does not release those that it has taken',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/catalog/src/stock/claim.ts',
      from: `const { short, taken } = outcome;
    await releaseTaken(places, claim, taken);`,
      to: 'const { short } = outcome;',
    },
  ],
  scenario: contention,
};
