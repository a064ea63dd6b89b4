import { de } from './de.js';
import { en } from './en.js';
import { fr } from './fr.js';

const tables = { en, de, fr };
const LANGUAGE = 'boxoffice.door.language';

/** The languages of the page, each by its own name. */
export const languages = Object.entries(tables).map(([code, { name }]) => [code, name]);

const preferred = [localStorage.getItem(LANGUAGE), ...navigator.languages.map((tag) => tag.split('-')[0])];
let current = preferred.find((code) => Object.hasOwn(tables, code ?? '')) ?? 'en';

export function language() {
  return current;
}

/** The language of the page from now on. */
export function choose(code) {
  current = code;
  localStorage.setItem(LANGUAGE, code);
}

/** The text of a name, `group.name` within a group; plural forms (`{one, other}`) are chosen by `count`. */
export function t(name, values = {}) {
  const text = name.split('.').reduce((table, part) => table?.[part], tables[current]);
  const chosen =
    typeof text === 'object' ? (text[new Intl.PluralRules(current).select(values.count)] ?? text.other) : text;
  return (chosen ?? name).replaceAll(/\{(\w+)\}/g, (_whole, member) => String(values[member] ?? ''));
}

export function hasText(name) {
  return t(name) !== name;
}

/** A time of the day, in the time zone of the phone unless there is another one. */
export function timeOf(instant, timeZone) {
  return new Intl.DateTimeFormat(current === 'en' ? 'en-GB' : current, {
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(new Date(instant));
}

/** The time of the day of a local time. */
export function clockOf(local) {
  return formatLocal(local, { hour: '2-digit', minute: '2-digit' });
}

/** What the clock of a venue shows, as the server says it: `2027-03-14T19:30`. Phones have other time zone data. */
const formatLocal = (local, options) =>
  new Intl.DateTimeFormat(current === 'en' ? 'en-GB' : current, { ...options, timeZone: 'UTC' }).format(
    new Date(`${local}Z`),
  );

/** The day of a local time; one that ends at midnight is that before. */
export function dayOf(local) {
  return formatLocal(new Date(Date.parse(`${local}Z`) - 1).toISOString().slice(0, 16), { dateStyle: 'long' });
}

/** The time of a start; with its offset where the clock of the venue shows it twice. */
export function startOf({ localStart, startOffset }) {
  return startOffset ? `${clockOf(localStart)} (${startOffset})` : clockOf(localStart);
}

/** Day and time of a local time. */
export function momentOf(local) {
  return `${formatLocal(local, { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' })}, ${clockOf(local)}`;
}

/** A performance of this door in few words; one of a former release has no local time. */
export function titleOf({ name, type = 'show', startDate, timeZone, localStart, startOffset }) {
  return type === 'show'
    ? `${localStart ? startOf({ localStart, startOffset }) : timeOf(startDate, timeZone)} ${localised(name)}`
    : localised(name);
}

/** The text of a language in the institution's data, else in one that there is. */
export function localised(texts) {
  return texts[current] ?? texts.en ?? Object.values(texts)[0] ?? '';
}

/** Why a scan has its result; empty for an admission. */
export function reasonOf({ reason, control, performance }) {
  if (reason === null) return '';
  if (reason === 'ticket_already_controlled' && control) {
    const name = control.gate === null ? 'already_at' : 'already_at_gate';
    return t(`reasons.${name}`, { time: timeOf(control.at), gate: control.gate });
  }
  if (reason === 'ticket_other_performance' && performance)
    return t('reasons.ticket_other_performance_named', { performance: performanceOf(performance) });
  return hasText(`reasons.${reason}`) ? t(`reasons.${reason}`) : t('reasons.other', { code: reason });
}

/** A performance as a steward speaks of it: name, day and hall; of a pass until when it is valid. */
const performanceOf = (performance) => {
  const { name, localStart, localEnd, venue } = performance;
  const begins = localStart && momentOf(localStart);
  const when = isShow(performance) ? begins : localEnd && t('validUntil', { end: dayOf(localEnd) });
  return [localised(name), when, venue?.name].filter(Boolean).join(', ');
};

// A result in words.

const isShow = (performance) => (performance?.type ?? 'show') === 'show';

/** A seat as the ticket names it, else the label of its place; what is no show has none. */
export function seatOf({ place, performance }) {
  if (!place || !isShow(performance)) return '';
  const { label, row, seat } = place;
  return row === null || seat === null ? label : t('seat', { row, seat });
}

/** What a ticket is for: its seat, of what is no show its name and validity; then its category, if that says more. */
export function placesOf(shown) {
  const { seatCategory, performance } = shown;
  const name = isShow(performance) ? seatOf(shown) : performanceOf(performance);
  const category = seatCategory ? localised(seatCategory) : '';
  const isSaid = category === '' || (!isShow(performance) && category === localised(performance.name));
  return { name, category: isSaid ? '' : category };
}

/** The same in one line: rows of two categories have the same letters. Empty if nothing is known. */
export function placeOf(shown) {
  const { name, category } = placesOf(shown);
  return [category, name].filter(Boolean).join(' · ');
}

/** What a steward should know beside the result. */
export function notesOf({ result, isNew, isAlone }) {
  return [...(isNew && result === 'admitted' ? [t('isNew')] : []), ...(isAlone ? [t('isAlone')] : [])];
}
