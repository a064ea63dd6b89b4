import { PosFault } from '@boxoffice/envelope';
import { selectText, sortLanguages } from '@boxoffice/http';
import { type Html, html } from '@boxoffice/pages';
import { createBestEffort } from '@boxoffice/service';
import type { Static } from 'typebox';
import type { PointOfSale } from '../clients/catalog.ts';
import type { ProductPage } from '../description/products.ts';
import { isShownImage } from '../products/images.ts';
import { createShowcase } from '../products/showcase.ts';
import type { PosContext } from '../request/context.ts';
import { buildStructuredData, type FirstPage } from './document.ts';
import { programmeState, TEXT_LANGUAGES, type TextLanguage, type Views } from './views.ts';

interface Prepared {
  readonly status: number;
  draw(views: Views): Omit<FirstPage, 'path' | 'address'>;
}

/** Milliseconds that the catalog has; then the page comes without what that says. */
const PATIENCE_MS = 1_000;

const PAGE_SIZE = 24;

/** Of these the server draws the frame only, because it knows nothing of visitors. */
const PERSONAL: readonly (readonly [RegExp, text: string, module: string])[] = [
  [/^\/cart$/, 'cart', 'pages/cart.js'],
  [/^\/checkout$/, 'checkout', 'pages/checkout.js'],
  [/^\/order\/[^/]+$/, 'orderNumber', 'pages/order.js'],
  [/^\/account$/, 'logInLink', 'pages/account.js'],
  [/^\/ticket-link$/, 'tickets', 'pages/order.js'],
  [/^\/lost-link$/, 'lostLink', 'pages/lost-link.js'],
];

const DESCRIPTION_LENGTH = 200;

/** A page comes without the catalog's answer if that takes long: its script asks again. */
export function createFirstPages({ offers, now }: Pick<PosContext, 'offers' | 'now'>) {
  const showcase = createShowcase(offers, now);
  const inTime = createBestEffort({ ms: PATIENCE_MS, pauseMs: PATIENCE_MS });

  return async (
    pointOfSale: PointOfSale,
    { languages, language }: ShopLanguages,
    path: string,
    query: URLSearchParams,
    origin: string,
  ): Promise<Prepared> => {
    const root = `/shop/${pointOfSale.serviceHost}`;
    const audience = { pointOfSale, languages, criteria: [], codes: [] };
    const missing: Prepared = {
      status: 404,
      draw: (views) => ({
        title: views.t('notFoundTitle'),
        description: views.t('notFoundText'),
        content: message(views, root),
        isPublic: false,
        modules: ['pages/shows.js'],
      }),
    };

    if (path === '/') {
      const state = programmeState(query);
      const part = { offset: (state.page - 1) * PAGE_SIZE, limit: PAGE_SIZE };
      const { type, date, venue, wanted: q } = state;
      const day = date || undefined;
      const wanted = { type, q, from: day, to: day, venue: venue || undefined };
      const list = await inTime(() => showcase.programme(audience, wanted, part));
      const found = list && { ...list.data, records: Object.values(list.data.products), total: list.total };
      return {
        status: 200,
        draw: (views) => ({
          title: views.t('programme'),
          description: views.t('seasonLine'),
          content: found ? views.programme(state, found) : waiting(views),
          data: found && { ...found, products: undefined },
          isPublic: true,
          modules: ['pages/shows.js'],
        }),
      };
    }

    const [, id] = /^\/show\/([^/]+)$/.exec(path) ?? [];
    if (id !== undefined) {
      const product = await inTime(() =>
        showcase.page(audience, id).catch((error: unknown) => {
          if (error instanceof PosFault && error.errorCode === 'not_found') return null;
          throw error;
        }),
      );
      if (product === null) return missing;
      return {
        status: 200,
        draw: (views) => ({
          title: product?.name ?? views.t('programme'),
          description: shorten(product?.description ?? product?.name ?? views.t('seasonLine')),
          content: product ? views.showArticle(product) : waiting(views),
          data: product,
          isPublic: true,
          image: product && selectImage(product, pointOfSale),
          structured:
            product &&
            buildStructuredData(product, selectImage(product, pointOfSale), {
              name: selectText(pointOfSale.name, languages),
              language,
              url: `${origin}${root}${path}`,
            }),
          modules: product && hasPlan(product) ? ['pages/show.js', 'pages/seat-map.js'] : ['pages/show.js'],
        }),
      };
    }

    const personal = PERSONAL.find(([pattern]) => pattern.test(path));
    if (!personal) return missing;
    const [, text, module] = personal;
    return {
      status: 200,
      draw: (views) => ({
        title: views.t(text),
        description: views.t('seasonLine'),
        content: waiting(views),
        isPublic: false,
        modules: [module],
      }),
    };
  };
}

const message = ({ t }: Views, root: string): Html => html`<div class="wrap page-message">
<h1 tabindex="-1">${t('notFoundTitle')}</h1>
<p class="lead">${t('notFoundText')}</p>
<p class="buttons"><a class="button button-quiet" href="${root}/">${t('toProgramme')}</a></p></div>`;

/** CSS shows it after a moment. */
const waiting = ({ t }: Views): Html => html`<p class="wrap lead late">${t('oneMoment')}</p>
<noscript><p class="wrap">${t('noScript')}</p></noscript>`;

const selectImage = ({ image }: Static<typeof ProductPage>, pointOfSale: PointOfSale) =>
  image && isShownImage(image.url, pointOfSale) ? image : undefined;

const shorten = (text: string): string =>
  text.length > DESCRIPTION_LENGTH ? `${text.slice(0, DESCRIPTION_LENGTH - 1).trimEnd()}…` : text;

const hasPlan = ({ performances }: Static<typeof ProductPage>): boolean =>
  performances.some(({ seatCategories }) => seatCategories.some(({ numbered }) => numbered));

interface ShopLanguages {
  /** Those of the point of sale in which the shop has texts. */
  readonly offered: readonly string[];
  readonly language: string;
  readonly texts: TextLanguage;
  /** Sorted as the visitor prefers them, for texts that lack that of the page. */
  readonly languages: readonly string[];
  /** It keeps the choice of this request. */
  readonly cookie: string | undefined;
}

interface LanguageChoice {
  readonly lang: string | null;
  readonly cookie: string | undefined;
  readonly acceptLanguage: string | undefined;
}

const COOKIE = 'boxoffice.language';
const COOKIE_SECONDS = 365 * 86_400;

/** The first one of `lang`, the cookie and Accept-Language that is offered, else the first. */
export function selectShopLanguages(
  { languages: configured }: Pick<PointOfSale, 'languages'>,
  { lang, cookie, acceptLanguage }: LanguageChoice,
): ShopLanguages {
  const offered = configured.filter((tag) => findTexts(tag) !== undefined);
  const [language = configured[0] ?? 'en'] = sortLanguages(lang ?? readCookie(cookie), acceptLanguage, offered);
  return {
    offered,
    language,
    texts: findTexts(language) ?? 'en',
    languages: sortLanguages(language, acceptLanguage, configured),
    cookie:
      lang === null ? undefined : `${COOKIE}=${language}; Path=/shop; Max-Age=${COOKIE_SECONDS}; SameSite=Lax; Secure`,
  };
}

const findTexts = (tag: string): TextLanguage | undefined =>
  TEXT_LANGUAGES.find((one) => one === tag.split('-', 1)[0]?.toLowerCase());

const readCookie = (cookie = ''): string | undefined =>
  cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);
