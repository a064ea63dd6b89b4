import { shop } from './frame.js';
import { locale, t } from './texts/index.js';

const formats = new Map();

/** A cached format: formats are expensive to create. */
const format = (Kind, options) => {
  const key = `${Kind.name}${locale()}${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Kind(locale(), options);
  formats.set(key, known);
  return known;
};

/** An amount in minor units, with as many digits as its currency has: 14500 CHF is 145.00, 1200 JPY is 1200. */
export const money = (amount, currency) => {
  const digits = shop.exponents[currency] ?? 2;
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return format(Intl.NumberFormat, { style: 'currency', currency, ...places }).format(amount / 10 ** digits);
};

const date = (options, timeZone = shop.timeZone) => format(Intl.DateTimeFormat, { timeZone, ...options });

/** Saturday 5 December 2026 */
export const longDay = (iso, timeZone) =>
  date({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, timeZone).format(new Date(iso));

/** Sat 5 December */
export const shortDay = (iso, timeZone) =>
  date({ weekday: 'short', day: 'numeric', month: 'long' }, timeZone).format(new Date(iso));

export const time = (iso, timeZone) => date({ hour: 'numeric', minute: '2-digit' }, timeZone).format(new Date(iso));

export const month = (iso) => (iso === null ? '' : date({ month: 'long', year: 'numeric' }).format(new Date(iso)));

/** Day, month and weekday separately, for a date in large type. */
export const dayParts = (iso, timeZone) => ({
  day: date({ day: 'numeric' }, timeZone).format(new Date(iso)).replace(/\D+/g, ''),
  month: date({ month: 'long', year: 'numeric' }, timeZone).format(new Date(iso)),
  weekday: date({ weekday: 'long' }, timeZone).format(new Date(iso)),
});

/** A range from the first to the last day, in the short form of the language. */
export const period = (from, to) => {
  if (from === null) return '';
  const shown = date({ day: 'numeric', month: 'long', year: 'numeric' });
  return to && Date.parse(to) > Date.parse(from)
    ? shown.formatRange(new Date(from), new Date(to))
    : shown.format(new Date(from));
};

/**
 * From when to when what is no show is valid: the label and the dates, which are empty if they are not known. An end at
 * midnight is that of the day before.
 */
export const validity = ({ type, startDate, endDate }) => {
  const isOpen = !(Date.parse(endDate) > Date.parse(startDate));
  const until = isOpen ? undefined : new Date(Date.parse(endDate) - 1).toISOString();
  return [t(isOpen ? 'validFrom' : 'validity', { type }), period(startDate, until)];
};

/** The same in one line. */
export const validityLine = (product) => {
  const [label, text] = validity(product);
  return text && t('labelled', { label, text });
};

/** A duration such as `2 hr, 20 min`; empty if the browser cannot format durations. */
export const duration = (minutes) =>
  minutes && 'DurationFormat' in Intl
    ? format(Intl.DurationFormat, { style: 'short' }).format({ hours: Math.floor(minutes / 60), minutes: minutes % 60 })
    : '';

/** The remaining minutes and seconds, at least 0:00. */
export const clock = (milliseconds) => {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

export const number = (value) => format(Intl.NumberFormat, {}).format(value);
