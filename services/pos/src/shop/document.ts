import { EXPONENTS } from '@boxoffice/http';
import { formatLocalTime } from '@boxoffice/http/local-time';
import { type Html, html } from '@boxoffice/pages';
import type { Static } from 'typebox';
import type { ProductPage } from '../description/products.ts';
import type { ShopFiles } from './files.ts';
import { LOGO_HEIGHT } from './look.ts';
import { LIST } from './shop-list.ts';
import type { ShopState, Views } from './views.ts';

interface SharedImage {
  readonly url: string;
  readonly alt: string;
}

export interface FirstPage {
  /** The title of the page alone, without the point of sale. */
  readonly title: string;
  readonly description: string;
  readonly content: Html;
  /** The path below that of the point of sale, such as `/show/prd_1`. */
  readonly path: string;
  readonly address: string;
  /** What the page's script draws again; undefined: it loads that. */
  readonly data?: object | undefined;
  /** Of what the page is about, for those who link to it. */
  readonly image?: SharedImage | undefined;
  /** Search engines may list the page. */
  readonly isPublic: boolean;
  /** JSON-LD, for search engines. */
  readonly structured?: object | undefined;
  readonly modules: readonly string[];
}

interface Frame {
  readonly state: ShopState;
  readonly languages: readonly string[];
  /** The origin without a slash at its end. */
  readonly origin: string;
  readonly stylesheet: string;
  /** Its address has its version; the width is in pixels. */
  readonly logo: { readonly address: string; readonly width: number | undefined } | undefined;
  readonly files: ShopFiles;
}

const LANGUAGE_NAMES: Readonly<Record<string, string>> = { fr: 'Français', en: 'English', de: 'Deutsch' };

const mark = html`<svg viewBox="0 0 32 24" class="mark" aria-hidden="true">
<path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"
d="M2 22a14 14 0 0 1 28 0M7 22a9 9 0 0 1 18 0M12 22a4 4 0 0 1 8 0"></path></svg>`;

const cartIcon = html`<svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
<path fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"
d="M3 8.5V6h18v2.5a3.5 3.5 0 0 0 0 7V18H3v-2.5a3.5 3.5 0 0 0 0-7ZM14.5 6v12"></path></svg>`;

/** The page is complete as text, and taken over by its script. */
export function renderDocument(frame: Frame, page: FirstPage, views: Views): string {
  const { state, files, stylesheet, logo } = frame;
  const { t } = views;
  const names = ['shop.js', ...page.modules].flatMap(files.modulesOf);
  const modules = new Set([...names, `texts/${state.texts}.js`]);
  const first = page.data && { first: { address: page.address, data: page.data } };
  return html`<!doctype html>
<html lang="${state.language}">
<head>
<meta charset="utf-8">
<title>${page.title} · ${state.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${stylesheet}">
<link rel="preload" href="${files.addressOf('fonts/cormorant.woff2')}" as="font" type="font/woff2" crossorigin>
${[...modules].map((name) => html`<link rel="modulepreload" href="${files.addressOf(name)}">\n`)}
<script type="module" src="${files.addressOf('shop.js')}"></script>
<link rel="icon" href="${logo?.address ?? files.addressOf('icon.svg')}" type="image/svg+xml">
${metadata(frame, page)}
${page.structured && dataBlock(html`type="application/ld+json"`, page.structured)}
</head>
<body>
<a class="skip" href="#main" data-skip>${t('skip')}</a>
${header(frame, page, views)}
<div class="notices" aria-live="assertive"></div>
<main id="main" tabindex="-1">${page.content}</main>
${footer(frame, views)}
<div class="unseen" role="status" aria-live="polite" data-announcer></div>
${dataBlock(html`type="application/json" data-shop`, { ...state, ...first })}
</body>
</html>
`.html;
}

const metadata = (frame: Frame, page: FirstPage): Html => {
  const { state, languages, origin } = frame;
  const { title, description, address, isPublic, image } = page;
  const url = new URL(address, origin);
  url.searchParams.delete('lang');
  const canonical = `${origin}${url.pathname}${url.search}`;
  const graph: readonly (readonly [string, string])[] = [
    ['og:type', 'website'],
    ['og:site_name', state.name],
    ['og:title', title],
    ['og:description', description],
    ['og:url', canonical],
    ['og:locale', state.language.replace('-', '_')],
    ...(image
      ? ([
          ['og:image', image.url],
          ['og:image:alt', image.alt],
        ] as const)
      : []),
  ];
  return html`<meta name="description" content="${description}">
${!isPublic && html`<meta name="robots" content="noindex">`}
${graph.map(([property, content]) => html`<meta property="${property}" content="${content}">\n`)}
<link rel="canonical" href="${canonical}">
${languages.map((tag) => html`<link rel="alternate" hreflang="${tag}" href="${origin}${inLanguage(address, tag)}">\n`)}
<link rel="alternate" hreflang="x-default" href="${canonical}">`;
};

const inLanguage = (address: string, tag: string): string => {
  const url = new URL(address, 'https://shop');
  url.searchParams.set('lang', tag);
  return `${url.pathname}${url.search}`;
};

/** No script, so the content policy does not concern it; nothing in it ends the element. */
const dataBlock = (attributes: Html, data: object): Html =>
  html`<script ${attributes}>${{ html: JSON.stringify(data).replaceAll('<', '\\u003c') }}</script>`;

const header = ({ state, languages, logo }: Frame, { path, address }: FirstPage, { t }: Views): Html => {
  const root = `/shop/${state.serviceHost}`;
  const link = (to: string, more: Html, content: Html | string) =>
    html`<a href="${root}${to}"${more}${path === to && html` aria-current="page"`}>${content}</a>`;
  const pages = [link('/', html``, t('programme')), link('/account', html` data-account`, t('logInLink'))];
  const choices = languages.map((tag) => {
    const code = html`<span aria-hidden="true">${primary(tag).toUpperCase()}</span>`;
    const name = html`<span class="unseen">${LANGUAGE_NAMES[primary(tag)] ?? tag}</span>`;
    const current = tag === state.language && html` aria-current="true"`;
    return html`<a href="${inLanguage(address, tag)}" hreflang="${tag}" lang="${tag}"${current}>${code}${name}</a>`;
  });
  const cart = html`<span class="cart-word">${t('cart')}</span><span class="cart-state" data-cart></span>`;
  return html`<header class="frame-header"><div class="wrap bar">
<a class="brand" href="${root}/">${logo === undefined ? mark : logoImage(logo)}<span>${state.name}</span></a>
<nav aria-label="${t('mainNavigation')}">${pages}</nav>
<div class="languages" role="group" aria-label="${t('language')}">${choices}</div>
${link('/cart', html` class="cart-link"`, html`${cartIcon}${cart}`)}
</div></header>`;
};

const logoImage = ({ address, width }: NonNullable<Frame['logo']>): Html => {
  const known = width !== undefined && html` width="${width}"`;
  return html`<img class="logo" src="${address}" alt=""${known} height="${LOGO_HEIGHT}">`;
};

const primary = (tag: string): string => tag.split('-', 1)[0] ?? tag;

const footer = ({ state: { serviceHost, name, isDemo, sendsMails, links } }: Frame, { t }: Views): Html => {
  const lost = sendsMails ? [html`<li><a href="/shop/${serviceHost}/lost-link">${t('lostLink')}</a></li>`] : [];
  const linked = (['terms', 'privacy', 'contact'] as const).flatMap((kind) => {
    const address = links?.[kind];
    return address ? [html`<li><a href="${address}" target="_top">${t(`link_${kind}`)}</a></li>`] : [];
  });
  const named = [...lost, ...linked];
  return html`<footer class="frame-footer"><div class="wrap">
<p class="foot-name">${name}</p>
${named.length > 0 && html`<ul class="foot-links">${named}</ul>`}
${isDemo && html`<p class="small">${t('demoFooter')} <a href="${LIST}">${t('allShops')}</a></p>`}
</div></footer>`;
};

type Product = Static<typeof ProductPage>;
type Performance = Product['performances'][number];

const SCHEMA = 'https://schema.org';

const AVAILABILITY = { available: 'InStock', few: 'LimitedAvailability', sold_out: 'SoldOut' } as const;

interface Seller {
  readonly name: string;
  readonly language: string;
  readonly url: string;
}

/** Only the next ones: a search engine reads no more dates than visitors do. */
const EVENTS = 50;

/** An `Event` for each performance of a show, else a `Product` (https://schema.org). */
export function buildStructuredData(product: Product, image: SharedImage | undefined, seller: Seller): object {
  const pictured = image ? { image: [image.url] } : {};
  if (product.type === 'show') {
    const events = product.performances.slice(0, EVENTS).map((performance) => ({
      ...event(product, performance, seller),
      ...pictured,
    }));
    return { '@context': SCHEMA, '@graph': events };
  }
  return {
    '@context': SCHEMA,
    '@type': 'Product',
    name: product.name,
    ...(product.description ? { description: product.description } : {}),
    ...pictured,
    sku: product.code,
    brand: { '@type': 'Organization', name: seller.name },
    offers: offer(seller, product.currency, product.priceFrom, product.availability),
  };
}

const event = (product: Product, performance: Performance, seller: Seller) => {
  const { startDate, localStartDate, timeZone, durationMinutes, venue, salesFrom } = performance;
  const end = Date.parse(startDate) + (durationMinutes ?? 0) * 60_000;
  return {
    '@type': 'Event',
    name: product.name,
    ...(product.description ? { description: product.description } : {}),
    startDate: localStartDate,
    ...(durationMinutes === null ? {} : { endDate: formatLocalTime(end, timeZone) }),
    eventStatus: `${SCHEMA}/EventScheduled`,
    eventAttendanceMode: `${SCHEMA}/OfflineEventAttendanceMode`,
    inLanguage: seller.language,
    location: {
      '@type': 'Place',
      name: venue.name,
      ...(venue.city && { address: { '@type': 'PostalAddress', addressLocality: venue.city } }),
    },
    organizer: { '@type': 'Organization', name: seller.name },
    offers: {
      ...offer(seller, product.currency, lowest(performance), performance.availability),
      ...(salesFrom === null ? {} : { validFrom: salesFrom }),
    },
  };
};

const offer = (
  { url }: Seller,
  currency: string,
  price: number | null | undefined,
  availability: keyof typeof AVAILABILITY,
) => ({
  '@type': 'Offer',
  url,
  availability: `${SCHEMA}/${AVAILABILITY[availability]}`,
  ...(price === null || price === undefined ? {} : { price: decimal(price, currency), priceCurrency: currency }),
});

/** Minor units become a decimal number, without a currency. */
const decimal = (amount: number, currency: string): string => {
  const digits = EXPONENTS[currency] ?? 2;
  return (amount / 10 ** digits).toFixed(digits);
};

const lowest = ({ seatCategories }: Performance): number | undefined =>
  seatCategories.flatMap(({ prices }) => prices.map(({ amount }) => amount)).toSorted((a, b) => a - b)[0];
