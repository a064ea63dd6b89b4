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

/** The types of products, in the order in which visitors choose among them. */
export const TYPES = ['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package'];

/** Whether one speaks of a type as of a show: with evenings, places and tickets. So it is with one that is not known. */
export const isShow = (type) => type !== 'mixed' && !TYPES.includes(type, 1);

/** The type as which one speaks of all these items; `mixed` for several. */
export const typeOf = (items) => {
  const [type = 'show', ...others] = new Set(items.map(({ productType }) => productType ?? 'show'));
  return others.length > 0 ? 'mixed' : type;
};

const textOf = (name, type) =>
  isShow(type) ? table[name] : (table[`${name}_${type}`] ?? table[`${name}_other`] ?? table[name]);

/**
 * The text of a name. Plural forms (`{one, other}`) are selected by `count`. With the `type` of a product, or `mixed`,
 * the text is the one of that type (`name_goods`) or of what is no show (`name_other`) if there is one; `{things}` is
 * `count` of them, such as `2 memberships`.
 */
export const t = (name, values = {}) => {
  const text = textOf(name, values.type);
  if (text === undefined) return name;
  const form =
    typeof text === 'string' ? text : (text[new Intl.PluralRules(shop.texts).select(values.count)] ?? text.other);
  return fill(form, form.includes('{things}') ? { ...values, things: t('things', values) } : values);
};

/** The message of an errorCode for the visitor; codes without their own message share one. */
export const errorText = (code) => table.errors[code] ?? table.errors.internal_error;
