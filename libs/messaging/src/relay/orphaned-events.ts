import type { Logger, Message, OutboxPort } from '../port.ts';

/** What the strays share with their relay; the settings are described there. */
interface OrphanedEventsOptions {
  readonly outbox: OutboxPort;
  readonly lease: (name: string, ms: number) => Promise<boolean>;
  readonly logger: Logger;
  readonly sweepMs?: number;
  readonly orphanedAfterMs?: number;
  readonly memory: number;
  /** What the relay has in hand, in the order of arrival. */
  readonly held: ReadonlyMap<string, Message>;
  /** Puts an event on its way, unless it is in hand already. */
  take(event: Message): void;
  isBusDown(): boolean;
}

/** The part of the relay that reads the outbox. */
export interface OrphanedEvents {
  start(): void;
  /** Told of every event that this process commits; true if it will come from the outbox instead of being taken now. */
  committed(event: Message): boolean;
  /** Told when events were marked done. */
  done(ids: readonly string[]): void;
  /** Told when there may be room for more. */
  room(): void;
  busWasDown(): void;
  close(): Promise<void>;
}

/** Events that one look for strays takes. */
const page = 500;

/**
 * Reads from the outbox what nobody is going to publish: events older than a few seconds whose process died (only by
 * the holder of the lease), and this process's own that found no room in memory.
 */
export const createOrphanedEvents = (options: OrphanedEventsOptions): OrphanedEvents => {
  const { outbox, lease, logger, held, take, memory, isBusDown } = options;
  const { sweepMs = 3_000, orphanedAfterMs = 5_000 } = options;
  const leaseMs = Math.max(15_000, 5 * sweepMs);
  let leaseUntil = 0;
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let reading: Promise<void> | undefined;
  /** Events marked done while the outbox is read: the reading may still show them. */
  const doneMeanwhile = new Set<string>();
  /** Whether own events were left to the outbox for want of room, and those committed while it is read. */
  let missed = false;
  let aside: Message[] = [];
  let more = false;

  const holdsLease = async (): Promise<boolean> => {
    const now = Date.now();
    // Renewing is a write, so it is not done with every look.
    if (leaseUntil - now > 2 * sweepMs) return true;
    leaseUntil = (await lease('relay', leaseMs)) ? now + leaseMs : 0;
    return leaseUntil > 0;
  };
  const takeUnlessDone = (events: readonly Message[]): void => {
    for (const event of events) if (!doneMeanwhile.has(event.id)) take(event);
  };

  /** Looks for events that their process left behind. */
  const sweep = async (): Promise<void> => {
    more = false;
    // After an outage the other processes begin with their own events; those are no strays yet.
    if (isBusDown() || Date.now() < notBefore || !(await holdsLease())) return;
    const limit = held.size + page; // what is stuck must not hide what came after it
    const found = await outbox.pending(limit, orphanedAfterMs);
    takeUnlessDone(found);
    more = found.length === limit;
  };

  /** Reads this process's events (and whatever else is there) until memory and outbox agree again. */
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
        reading = undefined; // and the next tick tries again
        logger.warn('the outbox could not be read', { error });
      },
    );
  };
  const room = (): void => {
    if (missed && held.size <= memory / 2) read(catchUp);
    else if (more && !missed && held.size <= page / 2) read(sweep);
  };
  const tick = (): void => {
    if (missed) room();
    else read(sweep);
    timer = setTimeout(tick, sweepMs);
  };

  return {
    start: tick,
    committed(event) {
      if (!missed && held.size < memory) return false;
      missed = true;
      if (reading && aside.length < memory) aside.push(event);
      return true;
    },
    done(ids) {
      if (reading) for (const id of ids) doneMeanwhile.add(id);
    },
    room,
    busWasDown() {
      notBefore = Date.now() + orphanedAfterMs;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await reading;
    },
  };
};
