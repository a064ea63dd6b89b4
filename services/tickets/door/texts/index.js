import { de } from './de.js';
import { en } from './en.js';
import { fr } from './fr.js';

const tables = { en, de, fr };
const LANGUAGE = 'boxoffice.door.language';

/** The languages of the page, each by its own name. */
export const languages = Object.entries(tables).map(([code, { name }]) => [code, name]);

const preferred = [localStorage.getItem(LANGUAGE), ...navigator.languages.map((tag) => tag.split('-')[0])];
let current = preferred.find((code) => Object.hasOwn(tables, code ?? '')) ?? 'en';

export const language = () => current;

/** The language of the page from now on. */
export const choose = (code) => {
  current = code;
  localStorage.setItem(LANGUAGE, code);
};

/** The text of a name, `group.name` within a group; plural forms (`{one, other}`) are chosen by `count`. */
export const t = (name, values = {}) => {
  const text = name.split('.').reduce((table, part) => table?.[part], tables[current]);
  const chosen =
    typeof text === 'object' ? (text[new Intl.PluralRules(current).select(values.count)] ?? text.other) : text;
  return (chosen ?? name).replaceAll(/\{(\w+)\}/g, (_whole, member) => String(values[member] ?? ''));
};

export const hasText = (name) => t(name) !== name;

/** A time of the day, in the time zone of the phone unless there is another one. */
export const timeOf = (instant, timeZone) =>
  new Intl.DateTimeFormat(current === 'en' ? 'en-GB' : current, {
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(new Date(instant));

/** What the clock of a venue shows, as the server says it: `2027-03-14T19:30`. Phones have other time zone data. */
const formatLocal = (local, options) =>
  new Intl.DateTimeFormat(current === 'en' ? 'en-GB' : current, { ...options, timeZone: 'UTC' }).format(
    new Date(`${local}Z`),
  );

/** The time of the day of a local time. */
export const clockOf = (local) => formatLocal(local, { hour: '2-digit', minute: '2-digit' });

/** Day and time of a local time. */
export const momentOf = (local) =>
  `${formatLocal(local, { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' })}, ${clockOf(local)}`;

/** A performance of this door, which the list of what is on has; one of a former release has no local time. */
export const titleOf = ({ name, startDate, timeZone, localStart }) =>
  `${localStart ? clockOf(localStart) : timeOf(startDate, timeZone)} ${localised(name)}`;

/** The text of a language in the institution's data, else in one that there is. */
export const localised = (texts) => texts[current] ?? texts.en ?? Object.values(texts)[0] ?? '';

// A result in words.

/** Why a scan has its result; empty for an admission. `performances`: those that the phone knows. */
export const reasonOf = ({ reason, control, performanceId }, performances) => {
  if (reason === null) return '';
  if (reason === 'ticket_already_controlled' && control) {
    const name = control.gate === null ? 'already_at' : 'already_at_gate';
    return t(`reasons.${name}`, { time: timeOf(control.at), gate: control.gate });
  }
  const other = performances.find(({ id }) => id === performanceId);
  if (reason === 'ticket_other_performance' && other) {
    return t('reasons.ticket_other_performance_named', { performance: titleOf(other) });
  }
  return hasText(`reasons.${reason}`) ? t(`reasons.${reason}`) : t('reasons.other', { code: reason });
};

/** A place with its category: rows of two categories have the same letters. Empty without a place. */
export const placeOf = ({ place, seatCategory }) =>
  [seatCategory && localised(seatCategory), place].filter(Boolean).join(' · ');

/** What a steward should know beside the result. */
export const notesOf = ({ result, isNew, isAlone }) => [
  ...(isNew && result === 'admitted' ? [t('isNew')] : []),
  ...(isAlone ? [t('isAlone')] : []),
];
