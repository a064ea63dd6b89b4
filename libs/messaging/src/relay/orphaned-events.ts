import type { Logger, Message, OutboxPort } from '../port.ts';

/** State shared with the relay; the settings are described there. */
interface OrphanedEventsOptions {
  readonly outbox: OutboxPort;
  readonly lease: (name: string, ms: number) => Promise<boolean>;
  readonly logger: Logger;
  readonly sweepMs?: number;
  readonly orphanedAfterMs?: number;
  readonly quietMs?: () => number;
  readonly memory: number;
  /** What the relay has in hand, in the order of arrival. */
  readonly held: ReadonlyMap<string, Message>;
  /** Publishes an event, unless it is in hand already. */
  take(event: Message): void;
  isBusDown(): boolean;
}

/** Limit of one search for orphaned events. */
const page = 500;

/**
 * Reads the events that no process will publish from memory: those older than a few seconds whose process died (only by
 * the holder of the lease), and this process's own that exceeded its memory.
 */
export const createOrphanedEvents = (options: OrphanedEventsOptions) => {
  const { outbox, lease, logger, held, take, memory, isBusDown } = options;
  const { sweepMs = 3_000, orphanedAfterMs = 5_000, quietMs = () => 0 } = options;
  const leaseMs = Math.max(15_000, 5 * sweepMs);
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
  /** Whether the last search found nothing. */
  let clear = false;

  const holdsLease = async (): Promise<boolean> => {
    const now = Date.now();
    // Renewing is a write, so not every search renews.
    if (leaseUntil - now > 2 * sweepMs) return true;
    leaseUntil = (await lease('relay', leaseMs)) ? now + leaseMs : 0;
    return leaseUntil > 0;
  };
  const takeUnlessDone = (events: readonly Message[]): void => {
    for (const event of events) if (!doneMeanwhile.has(event.id)) take(event);
  };

  /** Searches for orphaned events of other processes. */
  const sweep = async (): Promise<void> => {
    more = false;
    clear = false;
    // After an outage the other processes begin with their own events; those are not orphaned yet.
    if (isBusDown() || Date.now() < notBefore || !(await holdsLease())) return;
    const limit = held.size + page; // stuck events must not hide later ones
    const found = await outbox.pending(limit, orphanedAfterMs);
    takeUnlessDone(found);
    more = found.length === limit;
    clear = found.length === 0;
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
  /** Called when memory may have room again. */
  const room = (): void => {
    if (missed && held.size <= memory / 2) read(catchUp);
    else if (more && !missed && held.size <= page / 2) read(sweep);
  };
  const tick = (): void => {
    if (missed) room();
    else if (!clear || quietMs() <= orphanedAfterMs + 2 * sweepMs) read(sweep);
    timer = setTimeout(tick, sweepMs);
  };

  return {
    start: tick,
    /** Called with every event that this process commits; true if it will be read from the outbox instead of memory. */
    committed(event: Message): boolean {
      if (!missed && held.size < memory) return false;
      missed = true;
      if (reading && aside.length < memory) aside.push(event);
      return true;
    },
    /** Called when events were marked done. */
    done(ids: readonly string[]): void {
      if (reading) for (const id of ids) doneMeanwhile.add(id);
    },
    room,
    busWasDown(): void {
      notBefore = Date.now() + orphanedAfterMs;
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await reading;
    },
  };
};
