/** The languages of the pages. */
export const LANGUAGES = ['fr', 'en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

const primary = (tag: string): string => tag.trim().toLowerCase().split('-', 1)[0] ?? '';

/** The ranges of an Accept-Language header, best first (RFC 9110, 12.5.4); those with q=0 are left out. */
const ranges = (header: string): string[] =>
  header
    .split(',')
    .map((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => /^q=/i.test(parameter));
      return { range, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);

/** What a request says about its languages. */
interface LanguageWishes {
  /** `ui_locales`: language tags separated by spaces, best first (OpenID Connect Core, 3.1.2.1). */
  readonly uiLocales?: string | undefined;
  readonly acceptLanguage?: string | undefined;
}

/**
 * The language of a page: the first of `ui_locales`, else of Accept-Language, that the institution has, else the
 * institution's first. The primary subtag matches (`de-CH` is `de`). Languages without texts are left out.
 */
export const chooseLanguage = (
  { uiLocales = '', acceptLanguage = '' }: LanguageWishes,
  offered: readonly string[] = LANGUAGES,
): Language => {
  const known = offered.map(primary).filter((tag): tag is Language => LANGUAGES.some((language) => language === tag));
  const available: readonly Language[] = known.length > 0 ? known : LANGUAGES;
  const wanted = [...uiLocales.split(' '), ...ranges(acceptLanguage)];
  for (const tag of wanted) {
    const found = tag.trim() === '*' ? available[0] : available.find((language) => language === primary(tag));
    if (found) return found;
  }
  return available[0] ?? 'en';
};
