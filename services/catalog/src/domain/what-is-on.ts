import type { Clocks } from './clocks.ts';
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

type Length = Pick<Performance, 'startDate' | 'durationMinutes' | 'timeZone'>;
type Period = Pick<Product, 'type' | 'endDate'>;

/**
 * In epoch milliseconds: after its duration, else with its product, else at six in the morning of the next local day.
 * What is no show and says none of these has no end: infinity.
 */
export function computeEnd(
  { startDate, durationMinutes, timeZone }: Length,
  { type, endDate }: Period,
  clocks: Clocks,
): number {
  if (durationMinutes !== null) return Date.parse(startDate) + durationMinutes * MINUTE_MS;
  if (endDate !== null) return Date.parse(endDate);
  return hasManyPerformances(type) ? nextMorning(startDate, timeZone, clocks) : Number.POSITIVE_INFINITY;
}

const nextMorning = (startDate: string, timeZone: string, { wallTime, instantOf }: Clocks): number => {
  const today = Date.parse(`${wallTime(startDate, timeZone).slice(0, 10)}T00:00Z`);
  const morning = new Date(today + DAY_MS + MORNING * 3_600_000).toISOString().slice(0, 19);
  return instantOf(morning, timeZone, Date.parse(startDate));
};

/** The ends of the period belong to it. Epoch milliseconds. */
export function isOn(
  performance: Length,
  product: Period,
  { from, to }: { readonly from: number; readonly to: number },
  clocks: Clocks,
): boolean {
  return Date.parse(performance.startDate) <= to && computeEnd(performance, product, clocks) > from;
}
