import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import { isDuplicate } from './records/duplicates.ts';

interface StoredLease {
  readonly _id: string;
  readonly holder: string;
  /** Incremented by each renewal. */
  readonly beat: number;
  readonly ms: number;
  /** Epoch milliseconds by the holder's clock. */
  readonly until: number;
}

/** The leases of a store instance. */
export interface Leases {
  lease(name: string, ms: number): Promise<boolean>;
  /** Releases this instance's leases. */
  release(): Promise<void>;
}

/** Tolerated difference between the clocks of processes, in milliseconds. */
const tolerance = 5_000;

/**
 * Leases, each one document with compare-and-swap. Expiry does not depend on comparing clocks: another instance takes a
 * lease after observing it for its whole duration without a renewal. Only a lease that expired more than the tolerance
 * ago is taken at once.
 */
export const createLeases = (database: Db): Leases => {
  const leases = database.collection<StoredLease>('store.leases');
  const self = randomUUID();
  const watched = new Map<string, { readonly holder: string; readonly beat: number; readonly since: number }>();

  const hasRunOut = ({ _id, holder, beat, ms, until }: StoredLease): boolean => {
    if (until + tolerance < Date.now()) return true;
    const seen = watched.get(_id);
    if (seen?.holder === holder && seen.beat === beat) return performance.now() - seen.since >= ms;
    watched.set(_id, { holder, beat, since: performance.now() });
    return false;
  };

  return {
    async lease(name, ms) {
      const own = { holder: self, ms, until: Date.now() + ms };
      const renewed = await leases.updateOne({ _id: name, holder: self }, { $set: own, $inc: { beat: 1 } });
      if (renewed.matchedCount === 1) return true;
      const found = await leases.findOne({ _id: name });
      if (found) {
        if (!hasRunOut(found)) return false;
        const same = { _id: name, holder: found.holder, beat: found.beat };
        const taken = await leases.updateOne(same, { $set: own, $inc: { beat: 1 } });
        return taken.matchedCount === 1;
      }
      try {
        await leases.insertOne({ _id: name, beat: 1, ...own });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    async release() {
      await leases.deleteMany({ holder: self });
    },
  };
};
