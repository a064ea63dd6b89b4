const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The calendar of a seeding: every date is in its future. */
export interface Schedule {
  /** ISO 8601 UTC of an evening (or another hour) `days` days from today. */
  at(days: number, hour?: number, minute?: number): string;
  /** The start of sales. */
  readonly salesFrom: string;
}

/** A schedule that starts today. */
export const scheduleFrom = (now: Date): Schedule => {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const at = (days: number, hour = 18, minute = 30): string =>
    new Date(midnight + days * DAY_MS + (hour * 60 + minute) * MINUTE_MS).toISOString();
  return { at, salesFrom: at(-7, 8, 0) };
};

/** The instant `minutes` minutes after `start`. */
export const after = (start: string, minutes: number): string =>
  new Date(Date.parse(start) + minutes * MINUTE_MS).toISOString();
