type Text = string | { readonly one: string; readonly other: string };

/** What a page says in a language: the text of a name (`group.name` within a group), with its values. */
export type Texts = (name: string, values?: Readonly<Record<string, string | number>>) => string;

/** The texts of the shop or of the page at the door, from the files that browsers load. */
export const textsOf = async (page: 'pos/shop' | 'tickets/door', locale: string): Promise<Texts> => {
  const [language = ''] = locale.split('-');
  const file = new URL(`../../../services/${page}/texts/${language}.js`, import.meta.url).href;
  const { [language]: table } = await import(file);
  return (name, values = {}) => {
    const text: Text | undefined = name.split('.').reduce((group, part) => group?.[part], table);
    if (text === undefined) throw new Error(`${page} has no text ${name} in ${language}`);
    const chosen = typeof text === 'string' ? text : values.count === 1 ? text.one : text.other;
    return chosen.replaceAll(/\{(\w+)\}/g, (_, value) => String(values[value] ?? ''));
  };
};
