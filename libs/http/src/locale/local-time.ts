import moment from 'moment-timezone';
import { selectDateLocale } from './spoken.ts';

// The rules of time zones are a package's, renewed within days of the IANA database; the runtime has its build's own.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The release of the IANA time zone database in use, such as `2026f`. */
export const timeZoneRelease: string = moment.tz.dataVersion;

const names = new Map(moment.tz.names().map((name) => [name.toLowerCase(), name]));

export const timeZoneNames: readonly string[] = [...names.values()];

/** The IANA name in its own spelling, from any case; undefined if it is none. */
export function findIanaName(name: string): string | undefined {
  return names.get(name.toLowerCase());
}

/** The data ends with this year. */
const LAST_YEAR = 2037;

/** By how many minutes the clocks of a time zone are ahead of UTC at an instant; 0 for an unknown zone. */
export function computeOffset(instant: number, timeZone: string): number {
  const name = findIanaName(timeZone);
  const zone = name === undefined ? null : moment.tz.zone(name);
  return zone === null ? 0 : -Math.round(zone.utcOffset(withinData(instant)));
}

/** A time after the data's end, in the last year whose days from March on have the same weekdays. */
const withinData = (instant: number): number => {
  const year = new Date(instant).getUTCFullYear();
  if (!(year > LAST_YEAR)) return instant;
  const wanted = weekdayOfMarch(year);
  let like = LAST_YEAR;
  while (weekdayOfMarch(like) !== wanted) like -= 1;
  return new Date(instant).setUTCFullYear(like);
};

const weekdayOfMarch = (year: number): number => new Date(Date.UTC(year, 2, 1)).getUTCDay();

/** An instant by the clocks of a time zone: their time and its offset from UTC, `2026-12-31T19:30:00-05:00`. */
export function formatLocalTime(instant: string | number, timeZone: string): string {
  const at = new Date(instant).getTime();
  const minutes = computeOffset(at, timeZone);
  return clock(at, minutes) + formatOffset(minutes);
}

const clock = (instant: number, minutes: number): string =>
  new Date(instant + minutes * MINUTE_MS).toISOString().replace(/\.\d+Z$/, '');

/** `+05:30` */
const formatOffset = (minutes: number): string => {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
};

const two = (number: number): string => String(number).padStart(2, '0');

/** What the clocks of a time zone show, `2026-12-31T19:30:00`. */
export function formatWallTime(instant: string | number, timeZone: string): string {
  return formatLocalTime(instant, timeZone).slice(0, 19);
}

/** The day by the clocks of a time zone, `2026-12-31`. */
export function formatLocalDay(instant: string | number, timeZone: string): string {
  return formatLocalTime(instant, timeZone).slice(0, 10);
}

/** Epoch milliseconds. Of two instants the one closer to `near`; a skipped time is as far behind the last one shown. */
export function parseWallTime(wall: string, timeZone: string, near: number): number {
  const time = Date.parse(`${wall}Z`);
  const around = offsetsAround(time, timeZone);
  const found = around
    .map((minutes) => time - minutes * MINUTE_MS)
    .filter((instant) => formatWallTime(instant, timeZone) === wall)
    .toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near));
  return found[0] ?? time - (around[0] ?? 0) * MINUTE_MS;
}

/** The offsets of a zone a day before and after, and so each that it has in between. */
const offsetsAround = (instant: number, timeZone: string): number[] =>
  [instant - DAY_MS, instant + DAY_MS].map((at) => computeOffset(at, timeZone));

/** The name of the offset from UTC, such as `GMT+1`, where the clocks show that time twice; null elsewhere. */
export function formatRepeatedOffset(locale: string, instant: string | number, timeZone: string): string | null {
  const at = new Date(instant).getTime();
  if (!comesTwice(at, timeZone)) return null;
  const parts = format(locale, computeOffset(at, timeZone), { timeZoneName: 'shortOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? null;
}

const comesTwice = (instant: number, timeZone: string): boolean => {
  const wall = formatWallTime(instant, timeZone);
  const ahead = computeOffset(instant, timeZone);
  return offsetsAround(instant, timeZone).some(
    (minutes) => minutes !== ahead && formatWallTime(instant + (ahead - minutes) * MINUTE_MS, timeZone) === wall,
  );
};

const format = (locale: string, minutes: number, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(selectDateLocale(locale), { ...options, timeZone: formatOffset(minutes) });

/** A date with its time, by the clocks of a time zone; without a known one in UTC, and saying so. */
export function formatDateAndTime(locale: string, instant: string | number, timeZone?: string): string {
  const zone = timeZone ?? 'UTC';
  const at = new Date(instant).getTime();
  const text = format(locale, computeOffset(at, zone), { dateStyle: 'full', timeStyle: 'short' }).format(at);
  const offset = formatRepeatedOffset(locale, at, zone);
  return `${text}${offset === null ? '' : ` (${offset})`}${inUtc(timeZone)}`;
}

const inUtc = (timeZone: string | undefined): string => (timeZone && findIanaName(timeZone) ? '' : ' UTC');

/** By language: valid from one day to another, from a day, until a day. */
const VALID: Readonly<Record<string, readonly [string, string, string]>> = {
  en: ['Valid from {from} to {until}', 'Valid from {from}', 'Valid until {until}'],
  de: ['Gültig vom {from} bis {until}', 'Gültig ab {from}', 'Gültig bis {until}'],
  fr: ['Valable du {from} au {until}', 'Valable dès le {from}', 'Valable jusqu’au {until}'],
  it: ['Valido dal {from} al {until}', 'Valido dal {from}', 'Valido fino al {until}'],
};

/** Null: open. */
interface Validity {
  readonly from: string | null;
  readonly until: string | null;
}

/** In the locale's language, else English. An end at midnight is that of the day before. Empty if both are open. */
export function formatValidity(locale: string, { from, until: end }: Validity, timeZone?: string): string {
  // An end before the start is one that was not known yet to change with it.
  const until = from !== null && end !== null && Date.parse(end) <= Date.parse(from) ? null : end;
  if (from === null && until === null) return '';
  const day = (at: number) => format(locale, computeOffset(at, timeZone ?? 'UTC'), { dateStyle: 'long' }).format(at);
  const days = {
    '{from}': from === null ? '' : day(Date.parse(from)),
    '{until}': until === null ? '' : day(Date.parse(until) - 1),
  };
  const texts = VALID[new Intl.Locale(locale).language] ?? (VALID.en as NonNullable<(typeof VALID)[string]>);
  const text = texts[until === null ? 1 : from === null ? 2 : 0] ?? '';
  const said = text.replaceAll(/\{from\}|\{until\}/g, (name) => days[name as keyof typeof days]);
  return said + inUtc(timeZone);
}
