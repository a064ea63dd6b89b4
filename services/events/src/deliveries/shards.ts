import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { workersCollection } from '../store.ts';

/** The work is divided into this many shares, each of one process at a time. */
export const SHARDS = 16;

/** Another process takes a share over after this time without a renewal, in milliseconds. */
export const LEASE_MS = 4_000;
/** How often leases are renewed and other processes looked at, in leases. */
export const BEAT_EVERY = 1 / 4;
/** A process begins an attempt only while its last renewal is younger, in leases. */
const FRESH = 5 / 8;
/** Without a beat for this long a process counts as gone, in leases: longer, so that shares do not move needlessly. */
const GONE = 3 / 2;

/** The store's institution for documents that belong to the whole installation. */
const INSTALLATION = 'installation';

/** The share that a webhook belongs to. */
export function computeShard(webhookId: string): number {
  return hashOf(webhookId).readUInt32BE() % SHARDS;
}

const hashOf = (...parts: readonly string[]): Buffer => createHash('sha256').update(parts.join(' ')).digest();

interface ShardsOptions {
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly leaseMs?: number;
}

/** Creates the shares of the work that a process has. */
export function createShards(store: Pick<Store, 'collection' | 'lease'>, options: ShardsOptions = {}) {
  const { clock = () => performance.now(), now = Date.now, leaseMs = LEASE_MS } = options;
  const freshMs = FRESH * leaseMs;
  const workers = store.collection(workersCollection).of(INSTALLATION);
  const self = `wrk_${randomUUID()}`;
  const seen = new Map<string, { readonly beat: number; readonly since: number }>();
  const renewed = new Map<number, number>();
  let isClosed = false;

  const beatSelf = async (): Promise<void> => {
    const updated = await workers.update(self, (current) => ({
      next: { ...current, beat: current.beat + 1, beatAt: now() },
    }));
    if (!updated) await workers.insert({ id: self, beat: 1, beatAt: now() });
  };

  const living = async (): Promise<readonly string[]> => {
    const found = await workers.find();
    for (const { id, beat } of found) if (seen.get(id)?.beat !== beat) seen.set(id, { beat, since: clock() });
    const ids = new Set(found.map(({ id }) => id));
    for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
    return [...seen].flatMap(([id, { since }]) => (id === self || clock() - since < GONE * leaseMs ? [id] : []));
  };

  const owned = (): ReadonlySet<number> =>
    new Set([...renewed].flatMap(([shard, at]) => (clock() - at < freshMs ? [shard] : [])));

  return {
    /** Whether the process may begin an attempt for a webhook of the share. */
    owns: (shard: number): boolean => !isClosed && clock() - (renewed.get(shard) ?? Number.NEGATIVE_INFINITY) < freshMs,
    /** Renews the leases of the shares, of those in use, that are meant for this process; returns those that it has. */
    async beat(inUse: ReadonlySet<number>): Promise<ReadonlySet<number>> {
      if (inUse.size === 0) return owned();
      await beatSelf();
      const alive = await living();
      await Promise.all(
        [...inUse].map(async (shard) => {
          if (preferred(shard, alive) !== self) {
            renewed.delete(shard);
            return;
          }
          // Taken before the renewal, so it is earlier than what others see of it.
          const at = clock();
          if (await store.lease(`webhooks ${shard}`, leaseMs)) renewed.set(shard, at);
          else renewed.delete(shard);
        }),
      );
      return owned();
    },
    /** Leaves the work to others. */
    async close(): Promise<void> {
      isClosed = true;
      renewed.clear();
      await workers.delete(self);
    },
  };
}

/**
 * The process that a share is meant for: every process computes the same, and few shares move when one comes or goes
 * (rendezvous hashing).
 */
const preferred = (shard: number, workers: readonly string[]): string | undefined => {
  const weight = (worker: string): string => hashOf(worker, String(shard)).toString('hex');
  return workers.toSorted((one, other) => (weight(one) < weight(other) ? -1 : 1)).at(-1);
};
