// What the page says in its language: texts, dates and amounts.
import { shop } from '../frame.js';

let table = {};

/** Sets the texts of the language of the page. */
export function useTexts(texts) {
  table = texts;
}

export function language() {
  return shop.language;
}

/** The locale of dates, amounts and numbers: the language in the region of the currency. */
export function locale() {
  return shop.texts === 'en' ? 'en-GB' : `${shop.texts}${shop.region && `-${shop.region}`}`;
}

/** The types of products, in the order in which visitors choose among them. */
export const TYPES = ['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package'];

/**
 * Whether one speaks of a type as of a show: with evenings, places and tickets. So it is with one that is not known.
 */
export function isShow(type) {
  return type !== 'mixed' && !TYPES.includes(type, 1);
}

/** The type as which one speaks of all these items; `mixed` for several. */
export function typeOf(items) {
  const [type = 'show', ...others] = new Set(items.map(({ productType }) => productType ?? 'show'));
  return others.length > 0 ? 'mixed' : type;
}

/**
 * The text of a name. Plural forms (`{one, other}`) are selected by `count`. With the `type` of a product, or `mixed`,
 * the text is the one of that type (`name_goods`) or of what is no show (`name_other`) if there is one; `{things}` is
 * `count` of them, such as `2 memberships`.
 */
export function t(name, values = {}) {
  const text = textOf(name, values.type);
  if (text === undefined) return name;
  const form =
    typeof text === 'string' ? text : (text[new Intl.PluralRules(shop.texts).select(values.count)] ?? text.other);
  return fill(form, form.includes('{things}') ? { ...values, things: t('things', values) } : values);
}

const textOf = (name, type) =>
  isShow(type) ? table[name] : (table[`${name}_${type}`] ?? table[`${name}_other`] ?? table[name]);

const fill = (text, values) => text.replaceAll(/\{(\w+)\}/g, (_whole, name) => String(values[name] ?? ''));

/** The message of an errorCode for the visitor; codes without their own message share one. */
export function errorText(code) {
  return table.errors[code] ?? table.errors.internal_error;
}

const formats = new Map();

/** An amount in minor units, with as many digits as its currency has: 14500 CHF is 145.00, 1200 JPY is 1200. */
export function money(amount, currency) {
  const digits = shop.exponents[currency] ?? 2;
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return format(Intl.NumberFormat, { style: 'currency', currency, ...places }).format(amount / 10 ** digits);
}

/** A rate such as `2.6`, with the sign of its language. */
export function percent(rate) {
  return format(Intl.NumberFormat, { style: 'percent', maximumFractionDigits: 4 }).format(rate / 100);
}

/** A cached format: formats are expensive to create. */
const format = (Kind, options, tag = locale()) => {
  const key = `${Kind.name}${tag}${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Kind(tag, options);
  formats.set(key, known);
  return known;
};

/** Saturday 5 December 2026 */
export function longDay(local) {
  return date({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, local);
}

const date = (options, local) =>
  format(Intl.DateTimeFormat, { timeZone: 'UTC', ...options }, dateLocale()).format(shown(local));

/** French dates have no comma, which Intl writes in those of Switzerland. */
const dateLocale = () => (locale() === 'fr-CH' ? 'fr' : locale());

/**
 * What the clocks of a venue show, of a time such as `2026-12-31T19:30:00-05:00`, as if they were those of UTC. The
 * server says it, since a browser may know other rules of time zones.
 */
const shown = (local) => Date.parse(`${local.slice(0, 19)}Z`);

/** Sat 5 December */
export function shortDay(local) {
  return date({ weekday: 'short', day: 'numeric', month: 'long' }, local);
}

/** The time of a start; with its offset where the clocks of the venue show it twice. */
export function time({ localStartDate, startOffset }) {
  return [date({ hour: 'numeric', minute: '2-digit' }, localStartDate), startOffset && `(${startOffset})`]
    .filter(Boolean)
    .join(' ');
}

export function month(local) {
  return local === null ? '' : date({ month: 'long', year: 'numeric' }, local);
}

/** Day, month and weekday separately, for a date in large type. */
export function dayParts(local) {
  return {
    day: date({ day: 'numeric' }, local).replace(/\D+/g, ''),
    month: month(local),
    weekday: date({ weekday: 'long' }, local),
    shortWeekday: date({ weekday: 'short' }, local).replace('.', ''),
  };
}

/** A range from the first to the last day, in the short form of the language. */
export function period(from, to) {
  if (from === null) return '';
  const days = { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' };
  const last = to ? shown(to) : 0;
  return format(Intl.DateTimeFormat, days, dateLocale()).formatRange(shown(from), Math.max(shown(from), last));
}

/**
 * From when to when what is no show is valid: the label and the dates, which are empty if they are not known. An end at
 * midnight is that of the day before.
 */
export function validity({ type, localStartDate: from, localEndDate: end }) {
  const isOpen = !(end && from && shown(end) > shown(from));
  const until = isOpen ? undefined : new Date(shown(end) - 1).toISOString();
  return [t(isOpen ? 'validFrom' : 'validity', { type }), period(from, until)];
}

/** The same in one line. */
export function validityLine(product) {
  const [label, text] = validity(product);
  return text && t('labelled', { label, text });
}

/** When a product of the programme is: the next performance, with its time in the list of what was found. */
export function whenOf(product, isFound) {
  const { type, performance, localStartDate } = product;
  if (!isShow(type)) return validityLine(product);
  if (!performance) return period(localStartDate);
  const start = performance.localStartDate;
  return isFound ? `${period(start)}, ${time(performance)}` : shortDay(start);
}

/** A duration such as `2 hr, 20 min`; empty if the browser cannot format durations. */
export function duration(minutes) {
  return minutes && 'DurationFormat' in Intl
    ? format(Intl.DurationFormat, { style: 'short' }).format({ hours: Math.floor(minutes / 60), minutes: minutes % 60 })
    : '';
}

/** When something ends, by the clock of the browser; with the day if that is not today: `20:15`, `Sunday 20:15`. */
export function until(instant) {
  const isToday = new Date(instant).toDateString() === new Date().toDateString();
  const clockTime = { hour: 'numeric', minute: '2-digit', ...(isToday ? {} : { weekday: 'long' }) };
  return format(Intl.DateTimeFormat, clockTime).format(Date.parse(instant));
}

/** The remaining minutes and seconds, at least 0:00. */
export function clock(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function number(value) {
  return format(Intl.NumberFormat, {}).format(value);
}
