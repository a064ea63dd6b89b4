import { shop } from '../frame.js';

let table = {};

/** Sets the texts of the language of the page. */
export const useTexts = (texts) => {
  table = texts;
};

export const language = () => shop.language;

/** The locale of dates, amounts and numbers: the language in the region of the currency. */
export const locale = () => (shop.texts === 'en' ? 'en-GB' : `${shop.texts}${shop.region && `-${shop.region}`}`);

const fill = (text, values) => text.replaceAll(/\{(\w+)\}/g, (_whole, name) => String(values[name] ?? ''));

/** The text of a name; plural forms (`{one, other}`) are selected by `count`. */
export const t = (name, values = {}) => {
  const text = table[name];
  if (text === undefined) return name;
  if (typeof text === 'string') return fill(text, values);
  return fill(text[new Intl.PluralRules(shop.texts).select(values.count)] ?? text.other, values);
};

/** The message of an errorCode for the visitor; codes without their own message share one. */
export const errorText = (code) => table.errors[code] ?? table.errors.internal_error;
