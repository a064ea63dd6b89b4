import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Fault } from '@boxoffice/envelope';
import { isKnown, parseQuality } from '@boxoffice/http';
import { type Home, renderErrorPage } from './error-page.ts';
import type { PageAnswer } from './page.ts';

interface SiteNeeds {
  /** Directives that its content policy has beside the strict ones, or instead of those of the same name. */
  readonly policy?: Readonly<Record<string, string>>;
  readonly camera?: boolean;
}

/** Only resources of this origin, no inline script or style, no frame around it. */
const POLICY: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
};

export function buildSiteHeaders({ policy = {}, camera = false }: SiteNeeds = {}): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': Object.entries({ ...POLICY, ...policy })
      .map((directive) => directive.join(' '))
      .join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': `camera=(${camera ? 'self' : ''}), geolocation=(), microphone=(), payment=()`,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

/** Media types by file extension; files with other extensions are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

interface Variant {
  readonly body: Buffer;
  /** A strong validator, with its quotes. */
  readonly etag: string;
}

export interface SiteFile {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Variant;
  /** Undefined if compression saves less than a tenth. */
  readonly gzipped: Variant | undefined;
}

/** Of a file whose path changes with its content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Of a file whose path stays. */
const REVALIDATED = 'no-cache';

/** Its name decides its media type. Revalidated with its ETag unless `cacheControl` says more. */
export function createSiteFile(name: string, content: Buffer | string, cacheControl = REVALIDATED): SiteFile {
  const plain = Buffer.from(content);
  let gzipped: { readonly variant: Variant | undefined } | undefined;
  return {
    type: TYPES[extname(name)] ?? '',
    cacheControl,
    plain: variant(plain),
    // With the first request that takes it: a start does not wait for the compression of all files.
    get gzipped() {
      if (!gzipped) {
        const body = gzipSync(plain);
        gzipped = { variant: body.length < plain.length * 0.9 ? variant(body) : undefined };
      }
      return gzipped.variant;
    },
  };
}

const variant = (body: Buffer): Variant => ({ body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` });

/** The contents of the folder's files by their path in it, as far as their extension is served. */
export function readSiteFolder(folder: string): ReadonlyMap<string, Buffer> {
  return new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => extname(name) in TYPES)
      .map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name))] as const),
  );
}

export interface Release {
  readonly folder: string;
  readonly paths: readonly string[];
}

type Entry = (source: string, release: Release) => string;

export const linkRelease: Entry = (page, { folder }) =>
  page.replaceAll(/(href|src)="(?!#|\/|https?:)([^"]+)"/g, `$1="${folder}/$2"`);

/** All but the entries are in a folder named after their content, for good: modules import by relative paths. */
export function buildSiteFiles(
  contents: ReadonlyMap<string, Buffer>,
  entries: Readonly<Record<string, Entry>>,
): ReadonlyMap<string, SiteFile> {
  const folder = hash('sha256', Buffer.concat([...contents.values()]), 'hex').slice(0, 16);
  const released = [...contents].filter(([name]) => !Object.hasOwn(entries, name));
  const release = { folder, paths: released.map(([name]) => `${folder}/${name}`) };
  return new Map([
    ...released.map(([name, content]) => [`${folder}/${name}`, createSiteFile(name, content, FOR_GOOD)] as const),
    ...Object.entries(entries).map(
      ([name, make]) => [name, createSiteFile(name, make(`${contents.get(name) ?? ''}`, release))] as const,
    ),
  ]);
}

interface Site {
  /** What it is: messages call it `the shop`, and its error pages lead to it. */
  readonly name: Home;
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The file at a path below the root; `''` is the root itself. */
  find(path: string): SiteFile | undefined;
}

export function sendFile(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  file: SiteFile,
  status = 200,
): void {
  // The only coding offered, so qualities are not compared.
  const takesGzip = parseQuality(headers['accept-encoding'], 'gzip', '*') > 0;
  const chosen = (takesGzip && file.gzipped) || file.plain;
  response.setHeader('Cache-Control', file.cacheControl).setHeader('ETag', chosen.etag);
  if (file.gzipped) response.appendHeader('Vary', 'Accept-Encoding');
  if (status === 200 && isKnown(headers['if-none-match'], chosen.etag)) {
    response.writeHead(304).end();
    return;
  }
  if (chosen === file.gzipped) response.setHeader('Content-Encoding', 'gzip');
  response.writeHead(status, { 'Content-Type': file.type, 'Content-Length': chosen.body.length });
  response.end(method === 'HEAD' ? undefined : chosen.body);
}

/** From memory. A `front` of a service, because a site is a client of the API and no part of it. */
export function createSiteFront({ name, root, headers, find }: Site, next: RequestListener): RequestListener {
  const bare = root.slice(0, -1);

  return (request, response) => {
    const { method = '', url = '' } = request;
    const [path = '', query] = url.split('?', 2);
    if (path !== bare && !path.startsWith(root)) {
      next(request, response);
      return;
    }
    response.setHeaders(new Map(Object.entries(headers)));
    const say = (status: number, text: string, more: PageAnswer['headers'] = {}): void => {
      const body = Buffer.from(`${text}\n`);
      const own = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': `${body.length}` };
      response.setHeaders(new Map(Object.entries({ ...own, ...more })));
      response.writeHead(status).end(method === 'HEAD' ? undefined : body);
      request.resume();
    };
    const file = path === bare ? undefined : find(path.slice(root.length));
    if (path !== bare && !file) {
      const { accept = '', 'accept-language': acceptLanguage } = request.headers;
      if (parseQuality(accept, 'text/html') === 0) return say(404, `Not found: the ${name} has no such file.`);
      const page = renderErrorPage(new Fault('not_found', ''), { acceptLanguage, home: [name, root], requestId: '' });
      return say(404, page.body, page.headers);
    }
    if (method !== 'GET' && method !== 'HEAD')
      return say(405, `Method not allowed: the ${name} answers GET and HEAD.`, { Allow: 'GET, HEAD' });
    if (file) return sendFile(request, response, file);
    return say(308, `The ${name} is at ${root}.`, { Location: query === undefined ? root : `${root}?${query}` });
  };
}
