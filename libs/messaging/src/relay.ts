import { setTimeout as pause } from 'node:timers/promises';
import { repeat, settleWithin } from '@boxoffice/runtime/time';
import { computeBackoff } from './attempts.ts';
import { createPartitions } from './partitions.ts';
import type { Bus, Logger, Message, OutboxPort, RelayMetrics } from './port.ts';

export interface RelayOptions {
  readonly outbox: OutboxPort;
  /** The store's lease: at most one process holds it. */
  readonly lease: (name: string, ms: number) => Promise<boolean>;
  readonly bus: Pick<Bus, 'publish' | 'ping'>;
  /** Types of facts that are not published any more: the events leave the outbox without it. Default: none. */
  readonly withdrawn?: readonly string[];
  readonly logger: Logger;
  readonly metrics?: RelayMetrics;
  /** Events being published at once, each of another key. Default 1,000. */
  readonly window?: number;
  /** Events in memory; further ones are read from the outbox when there is room again. Default 10,000. */
  readonly memory?: number;
  /**
   * Calls the listener with when the oldest event of the outbox was written (epoch milliseconds; undefined: there is
   * none), at once and at intervals; returns what ends that. Default: as if there were an old one, each `sweepMs`.
   */
  readonly onLook?: (listener: (oldest: number | undefined) => void) => () => void;
  /** Milliseconds between two of those calls. Default 5,000. */
  readonly sweepMs?: number;
  /** Age from which an event counts as orphaned. Default 5,000. */
  readonly orphanedAfterMs?: number;
  /** How long `close` waits for events being published. Default 5,000. */
  readonly drainMs?: number;
}

/** Committed and unpublished events in this process's memory. */
export interface Backlog {
  readonly events: number;
  /** When the oldest of them was committed (ISO 8601 UTC); undefined if there is none. */
  readonly oldest: string | undefined;
}

export type Relay = ReturnType<typeof startRelay>;

const doneBatch = 500;
/** A write for each id costs more than publishing twice after a crash. */
const doneDelayMs = 200;

/**
 * An event is marked done only after the bus has it: a crash in between publishes it twice, and none is lost.
 * One that the in-process bus retries delays the later ones of its key, and takes one place of the window.
 * Subscribe before starting it.
 */
export function startRelay(options: RelayOptions) {
  const { outbox, bus, logger, metrics } = options;
  const { window = 1_000, memory = 10_000, drainMs = 5_000, withdrawn = [] } = options;
  /** Everything that is not marked done yet, in the order of arrival. */
  const held = new Map<string, Message>();
  const failures = new Map<string, number>();
  const confirmed: string[] = [];
  const stopping = new AbortController();
  /** Aborted first: what is confirmed is marked done without waiting for more. */
  const closing = new AbortController();
  let flushing: Promise<void> | undefined;
  let probing = false;

  const publish = async (event: Message): Promise<number | undefined> => {
    try {
      if (!withdrawn.includes(event.type)) await bus.publish(event);
    } catch (error) {
      metrics?.failed(1);
      if (stopping.signal.aborted) return undefined;
      const count = (failures.get(event.id) ?? 0) + 1;
      failures.set(event.id, count);
      const { type, id: messageId } = event;
      if (count === 1) logger.warn('an event could not be published', { type, messageId, error });
      if (!probing) void probe();
      return computeBackoff(count, 10_000);
    }
    metrics?.published(1);
    failures.delete(event.id);
    confirmed.push(event.id);
    flushing ??= flush();
    return undefined;
  };
  const partitions = createPartitions<Message>({ limit: window, work: publish });

  /** After a failure: if the bus as a whole is down, publishing pauses until it is back. */
  const probe = async (): Promise<void> => {
    probing = true;
    const reachable = () => bus.ping().then(...both);
    for (let tries = 1; !stopping.signal.aborted && !(await reachable()); tries++) {
      if (tries === 1) logger.warn('the bus is down; events wait in the outbox');
      partitions.hold();
      await pause(computeBackoff(tries, 5_000), undefined, { signal: stopping.signal }).catch(() => {});
      orphaned.busWasDown();
    }
    probing = false;
    partitions.resume();
  };

  const flush = async (): Promise<void> => {
    for (let tries = 0; confirmed.length > 0; ) {
      if (confirmed.length < doneBatch && tries === 0)
        await pause(doneDelayMs, undefined, { signal: closing.signal }).catch(() => {});
      const batch = confirmed.splice(0, doneBatch);
      try {
        await outbox.done(batch);
        tries = 0;
        for (const id of batch) held.delete(id);
        orphaned.done(batch);
      } catch (error) {
        confirmed.unshift(...batch);
        tries++;
        logger.warn('published events could not be marked done', { count: confirmed.length, error });
        if (stopping.signal.aborted) break;
        await pause(computeBackoff(tries, 10_000), undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    flushing = undefined;
    orphaned.room();
  };

  const take = (event: Message): void => {
    if (held.has(event.id)) return;
    held.set(event.id, event);
    partitions.push(event.key, event);
  };
  const orphaned = createOrphanedEvents({ ...options, memory, held, take, isBusDown: () => probing });

  const unlisten = outbox.onCommitted((events) => {
    for (const event of events) if (!orphaned.offer(event)) take(event);
  });
  orphaned.start();

  return {
    /** Its own (at most `memory`; those in the outbox are younger), and orphaned ones. Iterates over all of them. */
    backlog(): Backlog {
      let oldest: string | undefined;
      for (const { occurredAt } of held.values()) {
        if (oldest === undefined || occurredAt < oldest) oldest = occurredAt;
      }
      return { events: held.size, oldest };
    },
    /** Publishes the events in memory, marks them done and stops. Unpublished events stay in the outbox. */
    async close(): Promise<void> {
      unlisten();
      closing.abort();
      await orphaned.close();
      const drain = async () => {
        if (!probing) await partitions.quiet();
        await flushing;
      };
      await settleWithin(drain(), drainMs, () => {});
      stopping.abort();
      partitions.drop();
      if (flushing) await settleWithin(flushing, drainMs, () => {});
    },
  };
}

const both = [() => true, () => false] as const;

interface OrphanedEventsOptions
  extends Pick<RelayOptions, 'outbox' | 'lease' | 'logger' | 'sweepMs' | 'orphanedAfterMs' | 'onLook'> {
  readonly memory: number;
  /** What the relay has in hand, in the order of arrival. */
  readonly held: ReadonlyMap<string, Message>;
  /** Publishes an event, unless it is in hand already. */
  take(event: Message): void;
  isBusDown(): boolean;
}

/** An event of any age may be there. */
const lookEvery =
  (ms: number): NonNullable<RelayOptions['onLook']> =>
  (listener) => {
    const looking = repeat(async () => listener(0), { everyMs: ms, atOnce: true, failed: () => undefined });
    return () => void looking.close();
  };

const page = 500;

/** Of dead processes (only by the holder of the lease), and this process's own that exceeded its memory. */
const createOrphanedEvents = (options: OrphanedEventsOptions) => {
  const { outbox, lease, logger, held, take, memory, isBusDown } = options;
  const { sweepMs = 5_000, orphanedAfterMs = 5_000, onLook = lookEvery(sweepMs) } = options;
  const leaseMs = Math.max(15_000, 3 * sweepMs);
  let leaseUntil = 0;
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let reading: Promise<void> | undefined;
  /** Events marked done while the outbox is read: the result may still contain them. */
  const doneMeanwhile = new Set<string>();
  /** Whether own events were left in the outbox for lack of memory, and those committed while it is read. */
  let missed = false;
  let aside: Message[] = [];
  let more = false;

  const holdsLease = async (): Promise<boolean> => {
    const now = Date.now();
    // Renewing is a write, so not every search renews.
    if (leaseUntil - now > sweepMs) return true;
    leaseUntil = (await lease('relay', leaseMs)) ? now + leaseMs : 0;
    return leaseUntil > 0;
  };
  const takeUnlessDone = (events: readonly Message[]): void => {
    for (const event of events) if (!doneMeanwhile.has(event.id)) take(event);
  };

  const sweep = async (): Promise<void> => {
    more = false;
    // After an outage the other processes begin with their own events; those are not orphaned yet.
    if (isBusDown() || Date.now() < notBefore || !(await holdsLease())) return;
    const limit = held.size + page; // stuck events must not hide later ones
    const found = await outbox.pending(limit, orphanedAfterMs);
    takeUnlessDone(found);
    more = found.length === limit;
  };

  /** Reads this process's events (among others) until memory and outbox agree again. */
  const catchUp = async (): Promise<void> => {
    aside = [];
    const limit = held.size + Math.ceil(memory / 2);
    const found = await outbox.pending(limit, 0);
    takeUnlessDone(found);
    if (found.length === limit || aside.length >= memory) return;
    missed = false;
    takeUnlessDone(aside);
    aside = [];
  };

  const read = (work: () => Promise<void>): void => {
    if (reading || closed) return;
    doneMeanwhile.clear();
    reading = work().then(
      () => {
        reading = undefined;
        room();
      },
      (error: unknown) => {
        reading = undefined; // the next tick retries
        logger.warn('the outbox could not be read', { error });
      },
    );
  };
  const room = (): void => {
    if (missed && held.size <= memory / 2) read(catchUp);
    else if (more && !missed && held.size <= page / 2) read(sweep);
  };
  /** One that is too young is looked at when it is old enough, unless the next look comes first. */
  const onOldest = (oldest: number | undefined): void => {
    clearTimeout(timer);
    if (missed) room();
    if (missed || oldest === undefined) return;
    const ms = oldest + orphanedAfterMs - Date.now();
    if (ms <= 0) read(sweep);
    else if (ms < sweepMs) timer = setTimeout(() => onOldest(oldest), ms + 1).unref();
  };
  let unlisten = (): void => undefined;

  return {
    start(): void {
      unlisten = onLook(onOldest);
    },
    /** True if it will be read from the outbox instead of memory. */
    offer(event: Message): boolean {
      if (!missed && held.size < memory) return false;
      missed = true;
      if (reading && aside.length < memory) aside.push(event);
      return true;
    },
    done(ids: readonly string[]): void {
      if (reading) for (const id of ids) doneMeanwhile.add(id);
    },
    room,
    busWasDown(): void {
      notBefore = Date.now() + orphanedAfterMs;
    },
    async close(): Promise<void> {
      closed = true;
      unlisten();
      clearTimeout(timer);
      await reading;
    },
  };
};
