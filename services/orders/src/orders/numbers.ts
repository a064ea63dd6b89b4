// The numbers of orders, for people: found by them, and completed in orders of earlier releases.
import type { Listed } from '@boxoffice/http';
import { type Logger, repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import { rewrite, type Store } from '@boxoffice/store';
import { type OrderDocument, ordersCollection } from '../store.ts';

type Place = Pick<OrderDocument, 'listedAt' | 'id'>;

const byListing = (a: Place, b: Place): number => Number(a.listedAt) - Number(b.listedAt) || (a.id < b.id ? -1 : 1);

/**
 * The orders with a number as a list in the order of `listedAt`: those that have it as their own reference, and those
 * with this short number, whatever their reference.
 */
export const ordersWithNumber = (orders: Listed<OrderDocument>, number: string): Listed<OrderDocument> => ({
  async find(query) {
    const { externalReference = number, ...where } = query.where ?? {};
    const own = externalReference === number ? [{ ...where, externalReference }] : [];
    const conditions = [...own, { ...query.where, shortNumber: number.toLowerCase() }];
    const found = await Promise.all(conditions.map((one) => orders.find({ ...query, where: one })));
    const byId = new Map(found.flat().map((order) => [order.id, order]));
    return [...byId.values()].sort(byListing).slice(0, query.limit);
  },
});

/** Instances of the last release may write orders without a number, until the last one has ended. Milliseconds. */
const EVERY_MS = 600_000;

/** Longer than most installations need; two instances at once do no harm. */
const LEASE_MS = 3_600_000;

/** Stores the short numbers that orders of earlier releases lack, so that these are found by them. */
export const startNumbering = (store: Store, log: Pick<Logger, 'warn'>): Closable => {
  const orders = store.collection(ordersCollection).acrossInstitutions;
  const run = async (): Promise<void> => {
    const unnumbered = await orders.find({ where: { shortNumber: null }, limit: 1 });
    if (unnumbered.length > 0 && (await store.lease('numbers', LEASE_MS))) await rewrite(store, ordersCollection);
  };
  const failed = (error: unknown) => log.warn('the numbers of orders could not all be stored', { error });
  return repeat(run, { everyMs: EVERY_MS, atOnce: true, failed });
};
