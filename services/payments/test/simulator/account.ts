import { randomUUID } from 'node:crypto';
import { listTestEngines, useFixture } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { describe } from '@jest/globals';
import Stripe from 'stripe';
import { createSimulatedFetch, type Disturb } from '../../src/simulator/api.ts';
import { simulatedSessionsCollection } from '../../src/simulator/store.ts';

const engines = listTestEngines('payments', [simulatedSessionsCollection]);

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

export interface Account {
  readonly store: Store;
  readonly clock: { now: number };
  /** The provider's SDK with a key of this institution. */
  stripe(more?: { institution?: string; key?: string; disturb?: Disturb }): Stripe;
  close(): Promise<void>;
}

/** A day from now, so that the clock can be moved without meeting that of the store. */
async function openAccount(engine = engines[0]): Promise<Account> {
  if (!engine) throw new Error('there is no engine');
  const { store, discard } = await engine.open();
  const clock = { now: Date.now() + DAY_MS };
  const institution = `i-${randomUUID()}`;
  return {
    store,
    clock,
    stripe: ({ key = 'sk_simulated_1', ...more } = {}) => {
      const toPageUrl = (id: string) => `https://tickets.example/pages/${id}`;
      const api = { store, institution, toPageUrl, now: () => clock.now, ...more };
      return new Stripe(key, {
        httpClient: Stripe.createFetchHttpClient(createSimulatedFetch(api)),
        maxNetworkRetries: 0,
      });
    },
    close: discard,
  };
}

export function describeOnEachEngine(name: string, tests: (account: Account) => void): void {
  describe.each(engines)(`${name}, on $name`, (engine) => tests(useFixture(() => openAccount(engine))));
}

/** A page for an amount in the provider's unit. */
export function buildPage(amount: number, more: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  return {
    mode: 'payment',
    line_items: [
      { quantity: 1, price_data: { currency: 'chf', unit_amount: amount, product_data: { name: 'K7QX-2' } } },
    ],
    success_url: 'https://shop.example/back?order=1',
    cancel_url: 'https://shop.example/back?order=1',
    ...more,
  } satisfies Stripe.Checkout.SessionCreateParams;
}
