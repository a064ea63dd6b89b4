import { randomUUID } from 'node:crypto';
import type { Fault } from '@boxoffice/envelope';
import type { Store } from '@boxoffice/store';
import { NO_OWNER } from '../domain/order/pending-step.ts';
import { refusal } from '../faults.ts';
import { INSTALLATION, type LeaseDocument, leasesCollection } from '../store.ts';

/** Milliseconds between two heartbeats, and between two observations of other leases. */
export const BEAT_EVERY_MS = 500;
/** Milliseconds without a heartbeat, on the observer's clock, after which a lease is made to lapse. */
export const LAPSE_MS = 3_000;
/**
 * A process calls another service for a step only while its last heartbeat is younger; the remaining time covers
 * sending the call.
 */
const FRESH_MS = 1_500;
/** After a longer pause between two observations, earlier ones say nothing, so the watch restarts. */
const GAP_MS = 1_500;
/** Maximum time for which a process works on a step: longer than all timeouts of its calls together. */
export const STEP_MS = 15_000;
/** Time after which a lapsed lease is deleted: until then a step may still be written under it. */
const LAPSED_RETENTION_MS = 3_600_000;

/** The fault of a step whose process has lost its lease or exceeded its time. */
const lost = (): Fault =>
  refusal('step_lost', 'The request took too long and is finished by another process; repeat it shortly.');

/**
 * Leases: under its own, a process works on pending steps; it also observes the leases of others. A living process
 * increments the heartbeat of its lease. An observer that sees no increment for {@link LAPSE_MS} of its own clock
 * makes the lease lapse, in one atomic write that loses against a heartbeat. No clocks of two machines are compared,
 * and a lapsed lease never becomes valid again: its process opens another. The store's leases, under which one process
 * does periodic work, are different (`libs/store/src/mongo/lease.ts`).
 */
export interface Lease {
  /** The id under which to begin steps; the store has confirmed it recently. */
  hold(): Promise<string>;
  /** Marks the order's step as worked on by this process until the returned function is called. */
  work(orderId: string): () => void;
  /** Whether this process works on the order's step. */
  isWorking(orderId: string): boolean;
  /**
   * Call before each remote call of a step. @throws Fault `conflict` unless this process still owns the step and is
   * within its time
   */
  confirm(owner: string | undefined, orderId: string): Promise<void>;
  /** Whether the owner's lease is over, as far as this process has observed. */
  isOver(owner: string | undefined): boolean;
  /** The id of this process's lease, if it has one. */
  own(): string | undefined;
  /** Writes a heartbeat and observes the others; returns the leases that are over. Call every {@link BEAT_EVERY_MS}. */
  observe(): Promise<readonly string[]>;
  /** Makes the own lease lapse at once, so that others recover its pending steps. */
  end(): Promise<void>;
}

interface Watched {
  readonly beat: number;
  readonly since: number;
}

/** Creates the lease of a process. `clock` returns monotonic milliseconds. */
export const createLease = (
  store: Store,
  { clock = () => performance.now(), now = Date.now }: { clock?: () => number; now?: () => number } = {},
): Lease => {
  const leases = store.collection(leasesCollection).of(INSTALLATION);
  const working = new Map<string, number>();
  const watched = new Map<string, Watched>();
  /** The number of observations when an owner that none of them had shown was first requested. */
  const unknownOwners = new Map<string, number>();
  let over: ReadonlySet<string> = new Set();
  let living: ReadonlySet<string> = new Set();
  let observations = 0;
  let observedAt = Number.NEGATIVE_INFINITY;
  let own: { readonly id: string; readonly beatAt: number } | undefined;
  let beating: Promise<void> | undefined;

  const beat = async (): Promise<void> => {
    // Taken before the write, so it is earlier than any observation of this heartbeat.
    const beatAt = clock();
    const known =
      own &&
      (await leases.update(own.id, (current) =>
        current.lapsedAt === null ? { next: { ...current, beat: current.beat + 1 } } : undefined,
      ));
    if (known?.lapsedAt === null) {
      own = { id: known.id, beatAt };
      return;
    }
    const { id } = await leases.insert({ id: `lea_${randomUUID()}`, beat: 0, lapsedAt: null });
    own = { id, beatAt };
  };

  const renew = (): Promise<void> => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    return beating;
  };

  const fresh = async (): Promise<string> => {
    if (!own || clock() - own.beatAt >= FRESH_MS) await renew();
    if (!own) throw new Error('the lease is missing after its renewal');
    return own.id;
  };

  const lapse = (id: string, beat?: number) =>
    leases.update(id, (current) =>
      current.lapsedAt === null && (beat === undefined || current.beat === beat)
        ? { next: { ...current, lapsedAt: now() } }
        : undefined,
    );

  /** Whether this process has seen the lease without a heartbeat for {@link LAPSE_MS}. */
  const isStalled = ({ id, beat }: LeaseDocument): boolean => {
    const seen = watched.get(id);
    if (seen?.beat === beat) return clock() - seen.since >= LAPSE_MS;
    watched.set(id, { beat, since: clock() });
    return false;
  };

  const isOver = (owner: string | undefined): boolean => {
    if (owner === undefined || owner === NO_OWNER || over.has(owner)) return true;
    if (owner === own?.id || living.has(owner)) return false;
    // The lease is either newer than the last observation or deleted long ago: the next observations decide.
    const since = unknownOwners.get(owner) ?? observations;
    unknownOwners.set(owner, since);
    return observations > since + 1;
  };

  return {
    hold: fresh,
    work(orderId) {
      const since = clock();
      working.set(orderId, since);
      return () => {
        if (working.get(orderId) === since) working.delete(orderId);
      };
    },
    isWorking: (orderId) => clock() - (working.get(orderId) ?? Number.NEGATIVE_INFINITY) < STEP_MS,
    async confirm(owner, orderId) {
      const since = working.get(orderId);
      if (owner === undefined || (since !== undefined && clock() - since >= STEP_MS)) throw lost();
      if ((await fresh()) !== owner) throw lost();
    },
    isOver,
    own: () => own?.id,
    async observe() {
      if (clock() - observedAt > GAP_MS) watched.clear();
      await renew();
      const found = await leases.find();
      const lapsed = new Set<string>();
      for (const lease of found) {
        const isLapsed = lease.lapsedAt !== null || (lease.id !== own?.id && isStalled(lease));
        const after = isLapsed && lease.lapsedAt === null ? await lapse(lease.id, lease.beat) : lease;
        if (!after || after.lapsedAt !== null) lapsed.add(lease.id);
        if (after?.lapsedAt != null && after.lapsedAt < now() - LAPSED_RETENTION_MS) await leases.delete(lease.id);
      }
      over = lapsed;
      living = new Set(found.flatMap(({ id }) => (lapsed.has(id) ? [] : [id])));
      for (const id of watched.keys()) if (!living.has(id)) watched.delete(id);
      for (const [id, since] of unknownOwners)
        if (living.has(id) || observations > since + 100) unknownOwners.delete(id);
      observations += 1;
      observedAt = clock();
      return [...over];
    },
    async end() {
      await beating?.catch(() => undefined);
      const ended = own;
      own = undefined;
      if (ended) await lapse(ended.id);
    },
  };
};
