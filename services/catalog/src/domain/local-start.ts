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
export interface LocalStart {
  readonly time: string;
  readonly release: string;
}

/** A start, and the local time that was meant; absent in performances of earlier releases: the one that it has. */
interface Started {
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly timeZone: string;
  readonly localStart?: LocalStart;
}

/** The local time of a start that is entered now. */
export const enteredStart = (
  { startDate, timeZone }: Pick<Started, 'startDate' | 'timeZone'>,
  clocks: Clocks,
): LocalStart => ({ time: clocks.wallTime(startDate, timeZone), release: clocks.release });

/** Whether the clocks of the venue show another time at the start than was meant when it was entered. */
export const showsAnotherTime = ({ startDate, timeZone, localStart }: Started, clocks: Clocks): boolean =>
  localStart !== undefined && clocks.wallTime(startDate, timeZone) !== localStart.time;

/** The start (ISO 8601 UTC) at which the clocks of the venue show what was meant. */
export const startAsMeant = ({ startDate, timeZone, localStart }: Started, clocks: Clocks): string =>
  localStart === undefined
    ? startDate
    : new Date(clocks.instantOf(localStart.time, timeZone, Date.parse(startDate))).toISOString();
