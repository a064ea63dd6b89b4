export interface Clocks {
  /** The release of the time zone database, such as `2026f`. */
  readonly release: string;
  /** The name in its own spelling; undefined if there is no such time zone. */
  ianaName(name: string): string | undefined;
  /** What clocks show at an instant (ISO 8601 UTC): `2026-12-31T19:30:00`. */
  wallTime(instant: string, timeZone: string): string;
  /** Epoch milliseconds; the one closer to `near` if clocks show the time twice. */
  instantOf(wall: string, timeZone: string, near: number): number;
}

/**
 * What the clocks of the venue were to show when the start was entered, by that day's release of the time zone
 * database. With a later one the same instant may be another local time.
 */
export interface MeantStart {
  readonly time: string;
  readonly release: string;
  /** The start that was meant: an instance of an earlier release may change that alone. */
  readonly startDate: string;
  readonly timeZone: string;
}

interface Started {
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly timeZone: string;
  readonly meantStart?: MeantStart;
}

export function computeMeantStart(
  { startDate, timeZone }: Pick<Started, 'startDate' | 'timeZone'>,
  clocks: Clocks,
): MeantStart {
  return { time: clocks.wallTime(startDate, timeZone), release: clocks.release, startDate, timeZone };
}

/** Performances of earlier releases get the local time that their start has. */
export function ensureMeantStart<S extends Started>(stored: S, clocks: Clocks): S {
  return stored.meantStart?.startDate === stored.startDate && stored.meantStart.timeZone === stored.timeZone
    ? stored
    : { ...stored, meantStart: computeMeantStart(stored, clocks) };
}

export function hasMovedLocalTime({ startDate, timeZone, meantStart }: Started, clocks: Clocks): boolean {
  return meantStart !== undefined && clocks.wallTime(startDate, timeZone) !== meantStart.time;
}

export function restoreMeantStart<S extends Started>(started: S, clocks: Clocks): S {
  const { startDate, timeZone, meantStart } = started;
  if (meantStart === undefined) return started;
  const at = new Date(clocks.instantOf(meantStart.time, timeZone, Date.parse(startDate))).toISOString();
  return { ...started, startDate: at, meantStart: { ...meantStart, startDate: at } };
}
