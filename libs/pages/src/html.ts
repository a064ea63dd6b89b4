// Web pages of the authorizer: layout, style, form fields, and texts in three languages.

/** Text that is safe to place into a page: markup, and everything else escaped. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | false | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

const written = (part: Part): string => {
  if (part === undefined || part === false) return '';
  if (isList(part)) return part.map(written).join('');
  return typeof part === 'object' ? part.html : escaped(String(part));
};

/**
 * A template of markup: every interpolated text is escaped, for element content and quoted attribute values. Lists are
 * joined; `undefined` and `false` leave nothing.
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.map((markup, index) => markup + written(parts[index])).join(''),
});
