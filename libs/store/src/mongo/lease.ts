import { randomUUID } from 'node:crypto';
import type { Db, Filter } from 'mongodb';
import { isDuplicate } from './record.ts';

interface StoredLease {
  readonly _id: string;
  readonly holder: string;
  /** Incremented by each renewal. */
  readonly beat: number;
  readonly ms: number;
  /** Epoch milliseconds by the holder's clock. */
  readonly until: number;
}

/** Tolerated difference between the wall clocks of processes, in milliseconds. */
const tolerance = 5_000;

/**
 * Taken after `ms` on the taker's monotonic clock without a renewal, or at once if `until` is past by more than the
 * tolerance: if clocks differ by more, a lease may have two holders for a while.
 */
export function createLeases(database: Db) {
  const leases = database.collection<StoredLease>('store.leases');
  const self = randomUUID();
  const watched = new Map<string, { readonly holder: string; readonly beat: number; readonly since: number }>();

  /** Whether the lease has expired; the first call for a renewal begins to watch it. */
  const observeExpiry = ({ _id, holder, beat, ms, until }: StoredLease): boolean => {
    if (until + tolerance < Date.now()) return true;
    const seen = watched.get(_id);
    if (seen?.holder === holder && seen.beat === beat) return performance.now() - seen.since >= ms;
    watched.set(_id, { holder, beat, since: performance.now() });
    return false;
  };

  return {
    /** Takes or renews it; false if another instance has it. A holder learns of its loss by the next call. */
    async lease(name: string, ms: number): Promise<boolean> {
      const own = { holder: self, ms, until: Date.now() + ms };
      const take = async (known: Filter<StoredLease>): Promise<boolean> => {
        const taken = await leases.updateOne({ _id: name, ...known }, { $set: own, $inc: { beat: 1 } });
        return taken.matchedCount === 1;
      };
      if (await take({ holder: self })) return true;
      const found = await leases.findOne({ _id: name });
      if (found && found.holder !== self)
        return observeExpiry(found) && take({ holder: found.holder, beat: found.beat });
      // Nobody has it, or another call of this instance.
      try {
        if (!found) await leases.insertOne({ _id: name, beat: 1, ...own });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      return take({ holder: self });
    },
    async releaseAll(): Promise<void> {
      await leases.deleteMany({ holder: self });
    },
  };
}
