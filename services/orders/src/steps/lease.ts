import { randomUUID } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { Store } from '@boxoffice/store';
import { NO_OWNER } from '../domain/order/pending-step.ts';
import { INSTALLATION, type LeaseDocument, leasesCollection } from '../store.ts';

/** Milliseconds between two heartbeats, and between two looks at those of the others. */
export const BEAT_EVERY_MS = 500;
/** So long another process watches a lease without seeing a heartbeat before it lets the lease lapse. */
export const LAPSE_MS = 3_000;
/** A process calls a peer for a step only while its last heartbeat is younger; the rest of the time is for the call to be sent. */
const FRESH_MS = 1_500;
/** After a longer pause between two looks nothing is known of what was missed: the watch begins anew. */
const GAP_MS = 1_500;
/** Longest time that a process works on a step: longer than all timeouts of the calls of one step together. */
export const STEP_MS = 15_000;
/** A lapsed lease is kept for so long, in case a step of it is written late. */
const LAPSED_KEPT_MS = 3_600_000;

/** The step's process has lost its lease or its time: another one finishes the step. */
const lost = (): Fault =>
  new Fault('conflict', 'The request took too long and is finished by another process; repeat it shortly.', {
    'Retry-After': '1',
  });

/**
 * The lease under which this process works on pending steps, and what it knows of the leases of others. A living process counts up
 * the heartbeat of its lease; whoever has watched one stand still for {@link LAPSE_MS} of its own clock startsStep it as lapsed, in one
 * atomic write that loses against a heartbeat. So no clocks of two machines are compared, and a lapsed lease never lives again: its
 * process opens another.
 */
export interface Lease {
  /** The id to begin steps under; the store knows it, and has heard of it a moment ago. */
  hold(): Promise<string>;
  /** Works on the order's step until the answer is called. */
  work(orderId: string): () => void;
  /** Whether this process works on the order's step. */
  isWorking(orderId: string): boolean;
  /** To be called before each call of a peer for a step. @throws Fault `conflict` unless the step is still this process's, and in time */
  confirm(owner: string | undefined, orderId: string): Promise<void>;
  /** Whether no process works under it any more, as far as this one has looked. */
  isOver(owner: string | undefined): boolean;
  /** The id of this process's lease, if it has one. */
  own(): string | undefined;
  /** Beats and looks at the others; answers the leases that are over. To be called every {@link BEAT_EVERY_MS}. */
  look(): Promise<readonly string[]>;
  /** Lets the lease lapse at once: what it leaves is finished by others. */
  end(): Promise<void>;
}

interface Watched {
  readonly beat: number;
  readonly since: number;
}

/** Makes the lease of a process. `clock`: milliseconds that never go back. */
export const createLease = (
  store: Store,
  { clock = () => performance.now(), now = Date.now }: { clock?: () => number; now?: () => number } = {},
): Lease => {
  const leases = store.collection(leasesCollection).of(INSTALLATION);
  const working = new Map<string, number>();
  const watched = new Map<string, Watched>();
  /** How many looks had been made when an owner was first asked for that no look had shown. */
  const strangers = new Map<string, number>();
  let over: ReadonlySet<string> = new Set();
  let living: ReadonlySet<string> = new Set();
  let looks = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let own: { readonly id: string; readonly beatAt: number } | undefined;
  let beating: Promise<void> | undefined;

  const beat = async (): Promise<void> => {
    // Before the write: the others see this heartbeat later than that.
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
    if (!own) throw new Error('a lease is there once it was renewed');
    return own.id;
  };

  const lapse = (id: string, beat?: number) =>
    leases.update(id, (current) =>
      current.lapsedAt === null && (beat === undefined || current.beat === beat)
        ? { next: { ...current, lapsedAt: now() } }
        : undefined,
    );

  /** Whether the lease has stood still for long enough, as this process has seen. */
  const stoodStill = ({ id, beat }: LeaseDocument): boolean => {
    const seen = watched.get(id);
    if (seen?.beat === beat) return clock() - seen.since >= LAPSE_MS;
    watched.set(id, { beat, since: clock() });
    return false;
  };

  const isOver = (owner: string | undefined): boolean => {
    if (owner === undefined || owner === NO_OWNER || over.has(owner)) return true;
    if (owner === own?.id || living.has(owner)) return false;
    // Either newer than the last look, or swept long ago: the next looks tell.
    const since = strangers.get(owner) ?? looks;
    strangers.set(owner, since);
    return looks > since + 1;
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
    async look() {
      if (clock() - lookedAt > GAP_MS) watched.clear();
      await renew();
      const found = await leases.find();
      const lapsed = new Set<string>();
      for (const lease of found) {
        const isLapsed = lease.lapsedAt !== null || (lease.id !== own?.id && stoodStill(lease));
        const after = isLapsed && lease.lapsedAt === null ? await lapse(lease.id, lease.beat) : lease;
        if (!after || after.lapsedAt !== null) lapsed.add(lease.id);
        if (after?.lapsedAt != null && after.lapsedAt < now() - LAPSED_KEPT_MS) await leases.delete(lease.id);
      }
      over = lapsed;
      living = new Set(found.flatMap(({ id }) => (lapsed.has(id) ? [] : [id])));
      for (const id of watched.keys()) if (!living.has(id)) watched.delete(id);
      for (const [id, since] of strangers) if (living.has(id) || looks > since + 100) strangers.delete(id);
      looks += 1;
      lookedAt = clock();
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
