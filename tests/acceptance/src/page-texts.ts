type Text = string | { readonly one: string; readonly other: string };

/** What a page says in a language: the text of a name (`group.name` within a group), with its values. */
export type Texts = (name: string, values?: Readonly<Record<string, string | number>>) => string;

// Read before the tests: the files that browsers load.
const tables = new Map<string, unknown>();
for (const page of ['pos/shop', 'tickets/door'])
  for (const language of ['en', 'de', 'fr']) {
    const file = new URL(`../../../services/${page}/texts/${language}.js`, import.meta.url).href;
    tables.set(`${page} ${language}`, (await import(file))[language]);
  }

/** The texts of the shop or of the page at the door. */
export const textsOf = (page: 'pos/shop' | 'tickets/door', locale: string): Texts => {
  const key = `${page} ${locale.slice(0, 2)}`;
  return (name, values = {}) => {
    // biome-ignore lint/suspicious/noExplicitAny: texts in groups
    const text: Text | undefined = name.split('.').reduce((group: any, part) => group?.[part], tables.get(key));
    if (text === undefined) throw new Error(`there is no text ${name} of ${key}`);
    const chosen = typeof text === 'string' ? text : values.count === 1 ? text.one : text.other;
    return chosen.replaceAll(/\{(\w+)\}/g, (_, value) => String(values[value] ?? ''));
  };
};
