/** The clocks of places, by the rules of time zones that are known now. */
export interface Clocks {
  /** Of the time zone database, such as `2026f`. */
  readonly release: string;
  /** The name of a time zone in its own spelling; undefined if there is none. */
  ianaName(name: string): string | undefined;
  /** What clocks there show at an instant (ISO 8601 UTC): `2026-12-31T19:30:00`. */
  wallTime(instant: string, timeZone: string): string;
  /** When they show it, in epoch milliseconds; the one closer to `near` if they do so twice. */
  instantOf(wall: string, timeZone: string, near: number): number;
}

/**
 * What the clocks of the venue were to show at the start when it was entered, by the release of the time zone database
 * of that day. With a later one the same instant may be another local time.
 */
export interface MeantStart {
  readonly time: string;
  readonly release: string;
  /** The start that it is about: an instance of an earlier release may change that one alone. */
  readonly startDate: string;
  readonly timeZone: string;
}

/** A start, and the local time that was meant; absent in performances of earlier releases: the one that it has. */
interface Started {
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly timeZone: string;
  readonly meantStart?: MeantStart;
}

/** The local time of a start that is entered now. */
export function computeMeantStart(
  { startDate, timeZone }: Pick<Started, 'startDate' | 'timeZone'>,
  clocks: Clocks,
): MeantStart {
  return { time: clocks.wallTime(startDate, timeZone), release: clocks.release, startDate, timeZone };
}

/** A stored start, with what was meant: in those of earlier releases the local time that it has. */
export function ensureMeantStart<S extends Started>(stored: S, clocks: Clocks): S {
  return stored.meantStart?.startDate === stored.startDate && stored.meantStart.timeZone === stored.timeZone
    ? stored
    : { ...stored, meantStart: computeMeantStart(stored, clocks) };
}

/** Whether the clocks of the venue show another time at the start than was meant when it was entered. */
export function hasMovedLocalTime({ startDate, timeZone, meantStart }: Started, clocks: Clocks): boolean {
  return meantStart !== undefined && clocks.wallTime(startDate, timeZone) !== meantStart.time;
}

/** The start at which the clocks of the venue show what was meant. */
export function restoreMeantStart<S extends Started>(started: S, clocks: Clocks): S {
  const { startDate, timeZone, meantStart } = started;
  if (meantStart === undefined) return started;
  const at = new Date(clocks.instantOf(meantStart.time, timeZone, Date.parse(startDate))).toISOString();
  return { ...started, startDate: at, meantStart: { ...meantStart, startDate: at } };
}
