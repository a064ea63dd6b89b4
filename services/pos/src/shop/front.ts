import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { EXPONENTS, getCurrencyRegion, selectText } from '@boxoffice/http';
import {
  buildSiteHeaders,
  createSiteFile,
  createSiteFront,
  LANGUAGES,
  renderErrorPage,
  sendFile,
} from '@boxoffice/pages';
import type { PointOfSale } from '../clients/catalog.ts';
import { listAcceptedMethods } from '../orders/buyer.ts';
import type { PosContext } from '../request/context.ts';
import { findExistingPointOfSale, isServiceHost } from '../request/visit.ts';
import { renderDocument } from './document.ts';
import { ROOT, readShopFiles } from './files.ts';
import { createFirstPages, selectShopLanguages } from './first-pages.ts';
import { computeLogoWidth, renderStylesheet } from './look.ts';
import { renderShopList, sendPage } from './shop-list.ts';
import { drawIn, type ShopState } from './views.ts';

/** Revalidated: a page says what is free now, and depends on the visitor's language only. */
const PAGE_CACHE = 'private, no-cache';

/** For an address that changes with its content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** An image that is opened as a page is one without any rights. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface ShopOptions {
  readonly publicUrl: string;
  /** The shop at `/shop/` if the request's host is that of none. */
  readonly shopHost: () => string | undefined;
  readonly sendsMails: (pointOfSale: PointOfSale) => boolean;
  readonly senderOf: (seller: Pick<ShopState, 'name' | 'serviceHost'>) => ShopState['organiser'];
}

type Context = Pick<PosContext, 'pointOfSaleOf' | 'shops' | 'offers' | 'simulated' | 'payments' | 'now'>;

/** Most currencies have two. */
const exponents = Object.fromEntries(Object.entries(EXPONENTS).filter(([, digits]) => digits !== 2));

/** Draws first pages by the same code as in the browser; passes requests outside /shop/ to `next`. */
export function createShopFront(
  next: RequestListener,
  { publicUrl, shopHost, sendsMails, senderOf }: ShopOptions,
  context: Context,
): RequestListener {
  const files = readShopFiles();
  const prepare = createFirstPages(context);
  const origin = publicUrl.replace(/\/$/, '');
  const headers = buildSiteHeaders();
  const site = createSiteFront({ name: 'shop', root: ROOT, headers, find: files.find }, next);

  /** Rejects with Fault `service_unavailable` while the catalog is away. */
  const find = async (serviceHost: string): Promise<PointOfSale | undefined> =>
    isServiceHost(serviceHost) ? findExistingPointOfSale(context, serviceHost) : undefined;

  /** Finds it by the host of the request, with or without its port, else by the setting. */
  const findHome = async (host = ''): Promise<string | undefined> => {
    for (const name of [host, host.replace(/:\d+$/, ''), shopHost() ?? ''].map((text) => text.toLowerCase()))
      if (await find(name)) return name;
    return undefined;
  };

  const lookFor = ({ branding }: PointOfSale): string => files.styles + renderStylesheet(branding?.colours);

  const showPage = async (request: IncomingMessage, response: ServerResponse, seller: PointOfSale, url: URL) => {
    const root = `${ROOT}${seller.serviceHost}`;
    const path = url.pathname.slice(root.length);
    const languages = selectShopLanguages(seller, readLanguageChoice(request, url));
    const { status, draw } = await prepare(seller, languages, path, url.searchParams, origin);
    const { serviceHost, currency, maxPlacesPerOrder, demo, links = null, branding } = seller;
    const { language, texts } = languages;
    const name = selectText(seller.name, languages.languages);
    const paymentMethods = listAcceptedMethods(context, seller);
    const state: ShopState = {
      ...{ serviceHost, name, language, texts, region: getCurrencyRegion(currency), currency, exponents },
      ...{
        maxPlacesPerOrder,
        paymentMethods,
        imageHosts: seller.imageHosts ?? [],
        requireTerms: seller.requireTerms ?? false,
        isDemo: demo && paymentMethods.includes('simulated'),
        links,
        sendsMails: sendsMails(seller),
        organiser: senderOf({ name, serviceHost }),
      },
    };
    const frame = {
      state,
      files,
      origin,
      languages: languages.offered,
      stylesheet: `${root}/look.css?${hashContent(lookFor(seller))}`,
      logo: branding?.logo
        ? { address: `${root}/logo.svg?${hashContent(branding.logo)}`, width: computeLogoWidth(branding.logo) }
        : undefined,
    };
    const body = drawIn(state, (views) =>
      renderDocument(frame, { ...draw(views), path, address: url.pathname + url.search }, views),
    );
    response.setHeaders(new Map(Object.entries(buildPageHeaders(seller, path))));
    response.setHeader('Content-Language', language).setHeader('Vary', 'Accept-Language, Cookie');
    if (languages.cookie !== undefined) response.setHeader('Set-Cookie', languages.cookie);
    sendFile(request, response, createSiteFile('page.html', body, PAGE_CACHE), status);
  };

  const listShops = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const { texts, cookie } = selectShopLanguages({ languages: [...LANGUAGES] }, readLanguageChoice(request, url));
    const page = renderShopList(await context.shops(), texts);
    if (cookie !== undefined) response.setHeader('Set-Cookie', cookie);
    return sendPage(response, page);
  };

  const leadHome = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const { searchParams } = url;
    const { 'x-forwarded-host': forwarded, host } = request.headers;
    const home = searchParams.get('host')?.toLowerCase() ?? (await findHome(one(forwarded) ?? host));
    if (home === undefined || searchParams.has('all')) return listShops(request, response, url);
    if (!isServiceHost(home)) return site(request, response);
    searchParams.delete('host');
    const rest = searchParams.size > 0 ? `?${searchParams}` : '';
    return redirect(response, 302, `${ROOT}${home}/${rest}`, 'X-Forwarded-Host');
  };

  const answer = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    if (url.pathname === ROOT) return leadHome(request, response, url);
    const [serviceHost = '', ...rest] = url.pathname.slice(ROOT.length).split('/');
    const seller = await find(serviceHost);
    if (!seller) return site(request, response);
    const path = rest.join('/');
    if (rest.length === 0) return redirect(response, 308, `${url.pathname}/${url.search}`);
    if (path === 'look.css') return sendFile(request, response, createSiteFile(path, lookFor(seller), FOR_GOOD));
    if (path === 'logo.svg' && seller.branding?.logo) {
      response.setHeader('Content-Security-Policy', LOGO_POLICY);
      return sendFile(request, response, createSiteFile(path, seller.branding.logo, FOR_GOOD));
    }
    return showPage(request, response, seller, url);
  };

  const fail = (
    { headers: { 'accept-language': acceptLanguage } }: IncomingMessage,
    response: ServerResponse,
    error: unknown,
  ) => {
    const fault = error instanceof Fault ? error : new Fault('internal_error', '');
    sendPage(response, renderErrorPage(fault, { acceptLanguage, requestId: '' }));
  };

  return (request, response) => {
    const { method = '', url: target = '' } = request;
    const [path = ''] = target.split('?', 1);
    const isPage = path.startsWith(ROOT) && (method === 'GET' || method === 'HEAD') && URL.canParse(target, origin);
    if (!isPage || files.find(path.slice(ROOT.length))) {
      site(request, response);
      return;
    }
    response.setHeaders(new Map(Object.entries(headers)));
    answer(request, response, new URL(target, origin)).catch((error: unknown) => fail(request, response, error));
  };
}

/** What a house may show in a frame of its own site; logins, orders and their links never. */
const FRAMED = /^\/(?:show\/[^/]+|cart|checkout)?$/;

/** Lets the images of exactly these hosts through, also where other pages follow without a load. */
const buildPageHeaders = ({ imageHosts = [], frameAncestors = [] }: PointOfSale, path: string) =>
  buildSiteHeaders({
    policy: {
      ...(imageHosts.length > 0 && { 'img-src': ["'self'", ...imageHosts.map((host) => `https://${host}`)].join(' ') }),
      ...(frameAncestors.length > 0 && FRAMED.test(path) && { 'frame-ancestors': frameAncestors.join(' ') }),
    },
  });

const readLanguageChoice = ({ headers: { cookie, 'accept-language': acceptLanguage } }: IncomingMessage, url: URL) => ({
  lang: url.searchParams.get('lang'),
  cookie,
  acceptLanguage,
});

const hashContent = (content: string): string => hash('sha256', content, 'hex').slice(0, 16);

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

const redirect = (response: ServerResponse, status: number, location: string, vary?: string): void => {
  response.setHeader('Cache-Control', 'no-cache');
  if (vary !== undefined) response.setHeader('Vary', vary);
  response.writeHead(status, { Location: location, 'Content-Length': '0' }).end();
};
