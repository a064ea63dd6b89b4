import { house } from '../houses.js';
import { de } from './de.js';
import { en } from './en.js';
import { fr } from './fr.js';

const tables = { fr, en, de };
const LANGUAGE = 'boxoffice.language';

/** The languages that both the shop and the house speak. */
export const languages = house.languages.filter((code) => code in tables);

const wished = [
  new URLSearchParams(location.search).get('lang'),
  localStorage.getItem(LANGUAGE),
  ...navigator.languages.map((tag) => tag.split('-')[0]),
];

let current = wished.find((code) => languages.includes(code)) ?? languages[0] ?? 'en';

export const language = () => current;

/** For dates, amounts and numbers: the language as it is written where the house stands. */
export const locale = () =>
  current === 'en' || house.region === '' ? ({ en: 'en-GB' }[current] ?? current) : `${current}-${house.region}`;

export const choose = (code) => {
  current = code;
  localStorage.setItem(LANGUAGE, code);
  // What a link asked for does not outlast what the visitor chose.
  const address = new URL(location.href);
  address.searchParams.delete('lang');
  history.replaceState(null, '', address);
};

const fill = (text, values) => text.replaceAll(/\{(\w+)\}/g, (_whole, name) => String(values[name] ?? ''));

/** The text of that name. One with forms (`{one, other}`) goes by `count`. */
export const t = (name, values = {}) => {
  const text = tables[current][name];
  if (text === undefined) return name;
  if (typeof text === 'string') return fill(text, values);
  return fill(text[new Intl.PluralRules(current).select(values.count)] ?? text.other, values);
};

/** What an errorCode means to a visitor; codes that he can do nothing about share one sentence. */
export const errorText = (code) => tables[current].errors[code] ?? tables[current].errors.internal_error;
