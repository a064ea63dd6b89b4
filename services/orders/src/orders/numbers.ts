// The numbers of orders, for people: completed in orders of earlier releases.
import { type Logger, repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import { rewrite, type Store } from '@boxoffice/store';
import { ordersCollection } from '../store.ts';

/** Instances of the last release may write orders without a number, until the last one has ended. Milliseconds. */
const EVERY_MS = 600_000;

/** Longer than most installations need; two instances at once do no harm. */
const LEASE_MS = 3_600_000;

/** Stores the numbers that orders of earlier releases lack, so that these are found by them. */
export const startNumbering = (store: Store, log: Pick<Logger, 'warn'>): Closable => {
  const orders = store.collection(ordersCollection).acrossInstitutions;
  const run = async (): Promise<void> => {
    const unnumbered = await orders.find({ where: { shortNumber: null }, limit: 1 });
    if (unnumbered.length > 0 && (await store.lease('numbers', LEASE_MS))) await rewrite(store, ordersCollection);
  };
  const failed = (error: unknown) => log.warn('the numbers of orders could not all be stored', { error });
  return repeat(run, { everyMs: EVERY_MS, atOnce: true, failed });
};
