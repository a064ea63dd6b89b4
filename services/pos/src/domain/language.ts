/** Cached canonical forms; the cache is cleared when it is full. */
const known = new Map<string, string | undefined>();
const MAX_KNOWN = 1_000;

const canonicalised = (tag: string): string | undefined => {
  try {
    return new Intl.Locale(tag).toString();
  } catch {
    return undefined;
  }
};

/**
 * A language tag in its canonical form (RFC 5646, 4.5, with the data of Unicode CLDR): every code of ISO 639-2, `deu`
 * and `ger`, becomes that of ISO 639-1, `de`. Undefined for a malformed tag.
 */
const canonical = (tag: string): string | undefined => {
  const found = known.get(tag);
  if (found !== undefined || known.has(tag)) return found;
  const made = canonicalised(tag);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(tag, made);
  return made;
};

/** The language of a tag without its region, script and so on. */
const primary = (tag: string): string | undefined => canonical(tag.split('-', 1)[0] ?? '');

/** Longer texts are not parsed as tags. */
const MAX_TAG_LENGTH = 64;

/** The configured language that matches a tag: the same, else one with the same primary subtag (`de-CH` → `de`). */
export const matching = (tag: string, languages: readonly string[]): string | undefined => {
  const wanted = tag.trim().replaceAll('_', '-');
  const language = wanted.length > MAX_TAG_LENGTH ? undefined : primary(wanted);
  if (language === undefined) return undefined;
  const whole = canonical(wanted);
  return (
    languages.find((one) => whole !== undefined && canonical(one) === whole) ??
    languages.find((one) => primary(one) === language)
  );
};

/** Maximum ranges of an Accept-Language that are read. */
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

/**
 * The configured language with the highest quality in Accept-Language (RFC 9110, 12.5.4); undefined if none matches.
 */
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
 * Accept-Language, else the first configured. No value is an error.
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

/** The text in the language, else in the first of the others in which it exists, else in any. */
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
