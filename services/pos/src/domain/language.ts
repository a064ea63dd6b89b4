const primary = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? '';

/** The configured language that a tag asks for: the same one, else one with the same primary subtag (`de-CH` → `de`). */
export const matching = (tag: string, languages: readonly string[]): string | undefined => {
  const wanted = tag.trim().toLowerCase().replaceAll('_', '-');
  if (wanted === '') return undefined;
  return (
    languages.find((language) => language.toLowerCase() === wanted) ??
    languages.find((language) => primary(language) === primary(wanted))
  );
};

/** So much of an Accept-Language is read. */
const MAX_RANGES = 50;

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

const rangesOf = (header: string): { readonly tag: string; readonly quality: number }[] =>
  header
    .split(',', MAX_RANGES)
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const given = parameters.find((parameter) => /^q\s*=/i.test(parameter))?.replace(/^q\s*=\s*/i, '');
      return { tag, quality: given === undefined ? 1 : QUALITY.test(given) ? Number(given) : 0 };
    })
    .filter(({ tag }) => tag !== '');

/** The configured language that an Accept-Language likes best (RFC 9110, 12.5.4); undefined if it names none of them. */
const preferred = (header: string, languages: readonly string[]): string | undefined => {
  const ranges = rangesOf(header);
  const refused = new Set(
    ranges.filter(({ quality }) => quality === 0).flatMap(({ tag }) => matching(tag, languages) ?? []),
  );
  for (const { tag, quality } of ranges.toSorted((a, b) => b.quality - a.quality)) {
    if (quality === 0) continue;
    const found = tag === '*' ? languages.find((language) => !refused.has(language)) : matching(tag, languages);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * The language of an answer (specification, section 4, rule 8): `lang` if the point of sale has it, else the best of
 * Accept-Language, else the first configured. Nothing that is asked for is an error.
 */
export const languageOf = (
  lang: string | undefined,
  acceptLanguage: string | undefined,
  languages: readonly string[],
): string =>
  (lang === undefined ? undefined : matching(lang, languages)) ??
  (acceptLanguage === undefined ? undefined : preferred(acceptLanguage, languages)) ??
  languages[0] ??
  'en';

/** A text in this language, or in the first of the others that it has. */
export const textIn = (
  texts: Readonly<Record<string, string>>,
  language: string,
  others: readonly string[] = [],
): string => {
  const available = Object.keys(texts);
  for (const wanted of [language, ...others]) {
    const found = matching(wanted, available);
    if (found !== undefined) return texts[found] ?? '';
  }
  return Object.values(texts)[0] ?? '';
};
