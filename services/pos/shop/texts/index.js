import { institution } from '../institutions.js';
import { de } from './de.js';
import { en } from './en.js';
import { fr } from './fr.js';

const tables = { fr, en, de };
const LANGUAGE = 'boxoffice.language';

/** The languages of the institution that the shop has texts for. */
export const languages = institution.languages.filter((code) => code in tables);

const preferred = [
  new URLSearchParams(location.search).get('lang'),
  localStorage.getItem(LANGUAGE),
  ...navigator.languages.map((tag) => tag.split('-')[0]),
];

let current = preferred.find((code) => languages.includes(code)) ?? languages[0] ?? 'en';

export const language = () => current;

/** The locale of dates, amounts and numbers: the language in the region of the institution. */
export const locale = () =>
  current === 'en' || institution.region === ''
    ? ({ en: 'en-GB' }[current] ?? current)
    : `${current}-${institution.region}`;

export const choose = (code) => {
  current = code;
  localStorage.setItem(LANGUAGE, code);
  // The visitor's choice replaces the language of the link.
  const address = new URL(location.href);
  address.searchParams.delete('lang');
  history.replaceState(null, '', address);
};

const fill = (text, values) => text.replaceAll(/\{(\w+)\}/g, (_whole, name) => String(values[name] ?? ''));

/** The text of a name; plural forms (`{one, other}`) are selected by `count`. */
export const t = (name, values = {}) => {
  const text = tables[current][name];
  if (text === undefined) return name;
  if (typeof text === 'string') return fill(text, values);
  return fill(text[new Intl.PluralRules(current).select(values.count)] ?? text.other, values);
};

/** The message of an errorCode for the visitor; codes without their own message share one. */
export const errorText = (code) => tables[current].errors[code] ?? tables[current].errors.internal_error;
