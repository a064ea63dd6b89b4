import { languagesFor } from '@boxoffice/http';
import type { PointOfSale } from '../clients/catalog.ts';
import { TEXT_LANGUAGES, type TextLanguage } from './views.ts';

/** In which languages a visitor reads the shop. */
export interface ShopLanguages {
  /** Those of the point of sale in which the shop has texts. */
  readonly offered: readonly string[];
  /** That of the page. */
  readonly language: string;
  /** That of the shop's own texts. */
  readonly texts: TextLanguage;
  /** All of the point of sale as the visitor prefers them, for texts that lack that of the page. */
  readonly languages: readonly string[];
  /** The cookie that keeps the choice of this request; undefined if it has none. */
  readonly cookie: string | undefined;
}

interface Wishes {
  readonly lang: string | null;
  readonly cookie: string | undefined;
  readonly acceptLanguage: string | undefined;
}

const COOKIE = 'boxoffice.language';
const COOKIE_SECONDS = 365 * 86_400;

const textsOf = (tag: string): TextLanguage | undefined =>
  TEXT_LANGUAGES.find((one) => one === tag.split('-', 1)[0]?.toLowerCase());

/** The language that the visitor chose before. */
const chosenBefore = (cookie = ''): string | undefined =>
  cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);

/** The languages of a page: that of `lang`, else of the cookie, else of Accept-Language, else the first. */
export const languagesOf = (
  { languages: configured }: Pick<PointOfSale, 'languages'>,
  { lang, cookie, acceptLanguage }: Wishes,
): ShopLanguages => {
  const offered = configured.filter((tag) => textsOf(tag) !== undefined);
  const [language = configured[0] ?? 'en'] = languagesFor(lang ?? chosenBefore(cookie), acceptLanguage, offered);
  return {
    offered,
    language,
    texts: textsOf(language) ?? 'en',
    languages: languagesFor(language, acceptLanguage, configured),
    cookie:
      lang === null ? undefined : `${COOKIE}=${language}; Path=/shop; Max-Age=${COOKIE_SECONDS}; SameSite=Lax; Secure`,
  };
};
