import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Fault } from '@boxoffice/envelope';
import { EXPONENTS, qualityOf } from '@boxoffice/http';
import { errorPage, type PageAnswer } from '@boxoffice/pages';

/** The path prefix of the demo shop; it serves every file of the folder `shop` and those of {@link packaged}. */
const SHOP = '/shop/';

const FOLDER = fileURLToPath(new URL('../shop/', import.meta.url));

const { resolve } = createRequire(import.meta.url);

/** Files of npm packages that the shop loads: the QR encoder and the display typeface. */
const packaged = (): Readonly<Record<string, string>> => {
  const font = (name: string) => resolve(`@fontsource-variable/cormorant/files/${name}`);
  return {
    'lib/lean-qr.mjs': join(dirname(resolve('lean-qr')), 'index.mjs'),
    'fonts/cormorant.woff2': font('cormorant-latin-wght-normal.woff2'),
    'fonts/cormorant-ext.woff2': font('cormorant-latin-ext-wght-normal.woff2'),
    'fonts/cormorant-italic.woff2': font('cormorant-latin-wght-italic.woff2'),
  };
};

/** Media types by file extension; files with other extensions are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The shop loads only resources of this origin, runs no inline script or style, and cannot be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const SECURITY: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The page: it names the release of its files, and is revalidated with its ETag. */
const INDEX = 'index.html';

/** Of a file whose path changes with its content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

interface Variant {
  readonly body: Buffer;
  /** A strong validator, with its quotes. */
  readonly etag: string;
}

interface ShopFile {
  readonly type: string;
  readonly plain: Variant;
  /** Undefined if compression saves less than a tenth. */
  readonly gzipped: Variant | undefined;
}

const variant = (body: Buffer): Variant => ({ body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` });

const shopFile = (name: string, plain: Buffer): ShopFile => {
  const gzipped = gzipSync(plain);
  return {
    type: TYPES[extname(name)] ?? '',
    plain: variant(plain),
    gzipped: gzipped.length < plain.length * 0.9 ? variant(gzipped) : undefined,
  };
};

/**
 * The files of the shop by their path below /shop/. All but the page are in a folder named after the content of all of
 * them, so browsers keep them for good: modules import each other by relative paths.
 */
const readShop = (): ReadonlyMap<string, ShopFile> => {
  const own = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) in TYPES)
    .map((name) => [name.replaceAll('\\', '/'), join(FOLDER, name)] as const);
  const read = [...own, ...Object.entries(packaged())].map(([name, file]) => [name, readFileSync(file)] as const);
  const exponents = Buffer.from(`export const exponents = ${JSON.stringify(EXPONENTS)};\n`);
  const all = [...read, ['lib/minor-units.js', exponents] as const];
  const release = hash('sha256', Buffer.concat(all.map(([, content]) => content)), 'hex').slice(0, 16);
  const files = all.map(([name, content]): [string, ShopFile] => {
    if (name !== INDEX) return [`${release}/${name}`, shopFile(name, content)];
    const page = content.toString('utf8').replaceAll(/(href|src)="(?!#|https?:)([^"]+)"/g, `$1="${release}/$2"`);
    return [name, shopFile(name, Buffer.from(page))];
  });
  return new Map(files);
};

/** Whether Accept-Encoding allows gzip (RFC 9110, 12.5.3); the only coding offered, so q-values are not compared. */
const acceptsGzip = (header = ''): boolean =>
  header.split(',').some((entry) => {
    const [coding = '', quality = ''] = entry.split(';').map((part) => part.trim().toLowerCase());
    return (coding === 'gzip' || coding === '*') && !/^q=0(\.0*)?$/.test(quality);
  });

/** Whether If-None-Match names the variant, by the weak comparison (RFC 9110, 13.1.2). */
const isKnown = (header: string | undefined, { etag }: Variant): boolean =>
  (header ?? '').split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));

/**
 * Serves the demo shop at /shop/ from memory and passes every other request to `next`. A `front` of the service,
 * because the shop is a client of the API and no part of it.
 */
export const createShopFront = (next: RequestListener): RequestListener => {
  const files = readShop();

  return (request, response) => {
    const { method = '', headers, url = '' } = request;
    const [path = '', query] = url.split('?', 2);
    if (path !== '/shop' && !path.startsWith(SHOP)) {
      next(request, response);
      return;
    }
    const say = (status: number, text: string, more: PageAnswer['headers'] = {}): void => {
      const body = Buffer.from(`${text}\n`);
      const length = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': `${body.length}` };
      response.setHeaders(new Map(Object.entries({ ...SECURITY, ...length, ...more })));
      response.writeHead(status).end(method === 'HEAD' ? undefined : body);
      request.resume();
    };
    const name = path.slice(SHOP.length) || INDEX;
    const file = files.get(name);
    if (path !== '/shop' && !file) {
      const { accept = '', 'accept-language': acceptLanguage } = headers;
      if (qualityOf(accept, 'text/html') === 0) return say(404, 'Not found: the shop has no such file.');
      const page = errorPage(new Fault('not_found', ''), { acceptLanguage, home: ['shop', SHOP], requestId: '' });
      return say(404, page.body, page.headers);
    }
    if (method !== 'GET' && method !== 'HEAD')
      return say(405, 'Method not allowed: the shop answers GET and HEAD.', { Allow: 'GET, HEAD' });
    if (!file || path === '/shop') {
      return say(308, 'The shop is at /shop/.', { Location: query === undefined ? SHOP : `${SHOP}?${query}` });
    }
    const chosen = (acceptsGzip(headers['accept-encoding']) && file.gzipped) || file.plain;
    response.setHeaders(new Map(Object.entries(SECURITY)));
    response.setHeader('Cache-Control', name === INDEX ? 'no-cache' : FOR_GOOD).setHeader('ETag', chosen.etag);
    if (file.gzipped) response.setHeader('Vary', 'Accept-Encoding');
    if (isKnown(headers['if-none-match'], chosen)) {
      response.writeHead(304).end();
      return;
    }
    if (chosen === file.gzipped) response.setHeader('Content-Encoding', 'gzip');
    response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': chosen.body.length });
    response.end(method === 'HEAD' ? undefined : chosen.body);
  };
};
