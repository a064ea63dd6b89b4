// What is on: from when until when a performance lasts, by the clock of its venue.

import type { Performance } from './performance.ts';
import { hasManyPerformances, type Product } from './product.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** When an evening of unknown length is over: at six the next morning. Hours. */
const MORNING = 6;

/** The longest that a performance lasts of which neither the duration nor the end of its product is known. */
export const LONGEST_EVENING_MS = 2 * DAY_MS;

/** The longest duration that ends within that. Minutes. */
export const LONGEST_EVENING_MINUTES = LONGEST_EVENING_MS / MINUTE_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known) return known;
  // Swedish dates are those of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format;
};

/** The date and time that a clock in the time zone shows, as `2027-03-14T19:30`. */
export const localTimeOf = (instant: number, timeZone: string): string =>
  formatIn(timeZone).format(instant).replace(' ', 'T').slice(0, 16);

/** Milliseconds by which a clock in the time zone is ahead of UTC. */
const offsetAt = (instant: number, timeZone: string): number =>
  Date.parse(`${localTimeOf(instant, timeZone)}Z`) - Math.floor(instant / MINUTE_MS) * MINUTE_MS;

/** Six o'clock of the local day after that of the instant. */
const nextMorning = (instant: number, timeZone: string): number => {
  const day = Date.parse(`${localTimeOf(instant, timeZone).slice(0, 10)}T00:00Z`);
  const asIfUtc = day + DAY_MS + MORNING * 3_600_000;
  // The offset of the time that the first guess gives: clocks may change in the night.
  const guess = asIfUtc - offsetAt(asIfUtc, timeZone);
  return asIfUtc - offsetAt(guess, timeZone);
};

type Length = Pick<Performance, 'startDate' | 'durationMinutes' | 'timeZone'>;
type Period = Pick<Product, 'type' | 'endDate'>;

/**
 * When a performance ends, in epoch milliseconds: after its duration, else with its product, else at six in the morning
 * of the next local day. What is no show and says none of these has no end: infinity.
 */
export const endOf = ({ startDate, durationMinutes, timeZone }: Length, { type, endDate }: Period): number => {
  const start = Date.parse(startDate);
  if (durationMinutes !== null) return start + durationMinutes * MINUTE_MS;
  if (endDate !== null) return Date.parse(endDate);
  return hasManyPerformances(type) ? nextMorning(start, timeZone) : Number.POSITIVE_INFINITY;
};

/** Whether a performance is on at some time of a period, whose ends belong to it. Epoch milliseconds. */
export const isOn = (performance: Length, product: Period, from: number, to: number): boolean =>
  Date.parse(performance.startDate) <= to && endOf(performance, product) > from;
