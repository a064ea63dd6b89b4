import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { qualityOf } from '@boxoffice/http';
import { errorPage } from '@boxoffice/pages';
import type { PointOfSale } from '../clients/catalog.ts';
import type { PosContext } from '../context.ts';
import { isServiceHost } from '../request/point-of-sale.ts';
import { documentOf } from './document.ts';
import { readShopFiles, serve, served } from './files.ts';
import { firstPages } from './first-pages.ts';
import { languagesOf, shopStateOf } from './languages.ts';
import { type Colours, lookOf } from './look.ts';
import { SECURITY } from './security.ts';
import { drawIn, type ShopLinks } from './views.ts';

/** The path of the shop, of all points of sale. */
const SHOP = '/shop';

/** A page is revalidated: it says what is free now. It depends on nothing of the visitor but the language. */
const PAGE_CACHE = 'private, no-cache';

/** The logo is an image of its own: if it is opened as a page, it is one without any rights. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Members of a point of sale that a catalog of the last release does not say. */
interface Dressed {
  readonly branding?: { readonly colours: Colours; readonly logo: string | null } | null;
  readonly links?: ShopLinks | null;
}

export interface ShopOptions {
  /** The address of the installation. */
  readonly publicUrl: string;
  /** The point of sale at `/shop/` unless the request's host is that of one; undefined: none. */
  readonly shopHost: () => string | undefined;
}

type Context = Pick<PosContext, 'pointOfSaleOf' | 'offers' | 'bestEffortCatalog' | 'now'>;

const header = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/**
 * Serves the shop below /shop/: its files, and its first pages as HTML, drawn by the same code as in the browser. It
 * passes every other request to `next`.
 */
export const createShopFront = (
  next: RequestListener,
  { publicUrl, shopHost }: ShopOptions,
  context: Context,
): RequestListener => {
  const files = readShopFiles();
  const pages = firstPages(context);
  const origin = publicUrl.replace(/\/$/, '');

  const say = (response: ServerResponse, status: number, text: string, more: Readonly<Record<string, string>> = {}) => {
    const body = Buffer.from(`${text}\n`);
    const length = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': `${body.length}` };
    response.setHeaders(new Map(Object.entries({ ...SECURITY, ...length, ...more })));
    response.writeHead(status).end(response.req.method === 'HEAD' ? undefined : body);
    response.req.resume();
  };

  const refuse = ({ headers }: IncomingMessage, response: ServerResponse, fault: Fault): void => {
    const { accept = '', 'accept-language': acceptLanguage } = headers;
    if (qualityOf(accept, 'text/html') === 0) {
      say(response, fault.http, fault.http === 404 ? 'Not found: the shop has no such file.' : fault.details ?? '');
      return;
    }
    const page = errorPage(fault, { acceptLanguage, home: ['shop', `${SHOP}/`], requestId: '' });
    const plain = Object.fromEntries(Object.entries(page.headers).map(([name, value]) => [name, String(value)]));
    const body = Buffer.from(page.body);
    response.setHeaders(new Map(Object.entries({ ...SECURITY, ...plain, 'Content-Length': `${body.length}` })));
    response.writeHead(page.status).end(response.req.method === 'HEAD' ? undefined : body);
  };

  /** The point of sale; undefined if there is none. @throws {Fault} service_unavailable while the catalog is away */
  const find = async (serviceHost: string): Promise<(PointOfSale & Dressed) | undefined> => {
    if (!isServiceHost(serviceHost)) return undefined;
    try {
      return await context.pointOfSaleOf(serviceHost);
    } catch (error) {
      if (error instanceof Fault && error.status === 'service_unavailable') throw error;
      return undefined;
    }
  };

  /** The point of sale whose host the request names, with or without its port, else that of the setting. */
  const homeOf = async (host = ''): Promise<string | undefined> => {
    for (const one of [host, host.replace(/:\d+$/, ''), shopHost() ?? ''])
      if (await find(one.toLowerCase())) return one.toLowerCase();
    return undefined;
  };

  const logoOf = ({ branding }: Dressed) => {
    if (!branding?.logo) return undefined;
    return served('image/svg+xml', Buffer.from(branding.logo));
  };

  const showPage = (
    request: IncomingMessage,
    response: ServerResponse,
    pointOfSale: PointOfSale & Dressed,
    path: string,
    url: string,
  ): Promise<void> => {
    const search = new URL(url, origin).searchParams;
    const { cookie, 'accept-language': acceptLanguage } = request.headers;
    const languages = languagesOf(pointOfSale, { lang: search.get('lang'), cookie, acceptLanguage });
    const root = `${SHOP}/${pointOfSale.serviceHost}`;
    const logo = logoOf(pointOfSale);
    const look = lookOf(pointOfSale.branding?.colours);
    const version = (text: string) => hash('sha256', text, 'hex').slice(0, 16);
    return pages(pointOfSale, languages, path, search).then(({ timeZone, status, ...found }) => {
      const state = { ...shopStateOf(pointOfSale, languages, timeZone), links: pointOfSale.links ?? null };
      const body = drawIn(state, (views) =>
        documentOf(
          {
            state,
            languages: languages.offered,
            origin,
            stylesheet: `${root}/look.css?${version(files.styles + look)}`,
            logo: logo && `${root}/logo.svg?${version(logo.plain.etag)}`,
            files,
          },
          { ...found.draw(views), path, address: `${root}${path}${new URL(url, origin).search}` },
          views,
        ),
      );
      const headers: Record<string, string> = {
        'Content-Language': state.language,
        Vary: 'Accept-Language, Cookie',
        ...(languages.isChosen ? { 'Set-Cookie': languages.cookie } : {}),
      };
      serve(request, response, served('text/html; charset=utf-8', Buffer.from(body), PAGE_CACHE), { status, headers });
    });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse, path: string, url: string) => {
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    if (path === `${SHOP}/`) {
      const search = new URLSearchParams(query);
      const named = search.get('host')?.toLowerCase();
      search.delete('host');
      const { 'x-forwarded-host': forwarded, host } = request.headers;
      const home = named === undefined ? await homeOf(header(forwarded) ?? host) : named;
      if (home === undefined || !isServiceHost(home)) return refuse(request, response, new Fault('not_found', ''));
      const rest = search.size > 0 ? `?${search}` : '';
      return say(response, 302, `The shop is at ${SHOP}/${home}/.`, {
        Location: `${SHOP}/${home}/${rest}`,
        'Cache-Control': 'no-cache',
        Vary: 'Host',
      });
    }
    const [serviceHost = '', ...parts] = path.slice(SHOP.length + 1).split('/');
    const pointOfSale = await find(serviceHost);
    if (!pointOfSale) return refuse(request, response, new Fault('not_found', ''));
    if (parts.length === 0)
      return say(response, 308, `The shop is at ${path}/.`, { Location: `${path}/${query}` });
    const below = `/${parts.join('/')}`;
    if (below === '/look.css') {
      const styles = files.styles + lookOf(pointOfSale.branding?.colours);
      return serve(request, response, served('text/css; charset=utf-8', Buffer.from(styles)));
    }
    const logo = below === '/logo.svg' ? logoOf(pointOfSale) : undefined;
    if (logo) return serve(request, response, logo, { headers: { 'Content-Security-Policy': LOGO_POLICY } });
    return showPage(request, response, pointOfSale, below, url);
  };

  return (request, response) => {
    const { method = '', url = '' } = request;
    const [path = '', query] = url.split('?', 2);
    if (path !== SHOP && !path.startsWith(`${SHOP}/`)) {
      next(request, response);
      return;
    }
    if (method !== 'GET' && method !== 'HEAD') {
      say(response, 405, 'Method not allowed: the shop answers GET and HEAD.', { Allow: 'GET, HEAD' });
      return;
    }
    const file = files.at(path);
    if (file) {
      serve(request, response, file);
      return;
    }
    if (path === SHOP) {
      say(response, 308, 'The shop is at /shop/.', { Location: query === undefined ? `${SHOP}/` : `${SHOP}/?${query}` });
      return;
    }
    answer(request, response, path, url).catch((error: unknown) => {
      refuse(request, response, error instanceof Fault ? error : new Fault('internal_error', ''));
    });
  };
};
