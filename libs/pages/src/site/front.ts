import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { qualityOf } from '@boxoffice/http';
import { errorPage } from '../error-page.ts';
import type { Home } from '../error-texts.ts';
import type { PageAnswer } from '../page.ts';
import type { SiteFile, Variant } from './files.ts';

/** A web application of a service. */
export interface Site {
  /** What it is: messages call it `the shop`, and its error pages lead to it. */
  readonly name: Home;
  /** The path of its root, with slashes around it. */
  readonly root: string;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The file at a path below the root; `''` is the root itself. */
  find(path: string): SiteFile | undefined;
}

/** Whether Accept-Encoding allows gzip (RFC 9110, 12.5.3); the only coding offered, so q-values are not compared. */
const acceptsGzip = (header = ''): boolean =>
  header.split(',').some((entry) => {
    const [coding = '', quality = ''] = entry.split(';').map((part) => part.trim().toLowerCase());
    return (coding === 'gzip' || coding === '*') && !/^q=0(\.0*)?$/.test(quality);
  });

/** Whether If-None-Match names the variant, by the weak comparison (RFC 9110, 13.1.2). */
const isKnown = (header: string | undefined, { etag }: Variant): boolean =>
  (header ?? '').split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));

/** Answers GET or HEAD with the file: compressed where the client allows it, 304 where it has the file already. */
export const sendFile = (
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  file: SiteFile,
  status = 200,
): void => {
  const chosen = (acceptsGzip(headers['accept-encoding']) && file.gzipped) || file.plain;
  response.setHeader('Cache-Control', file.cacheControl).setHeader('ETag', chosen.etag);
  if (file.gzipped) response.appendHeader('Vary', 'Accept-Encoding');
  if (status === 200 && isKnown(headers['if-none-match'], chosen)) {
    response.writeHead(304).end();
    return;
  }
  if (chosen === file.gzipped) response.setHeader('Content-Encoding', 'gzip');
  response.writeHead(status, { 'Content-Type': file.type, 'Content-Length': chosen.body.length });
  response.end(method === 'HEAD' ? undefined : chosen.body);
};

/**
 * Serves the site from memory and passes every request outside it to `next`. A `front` of a service, because a site is
 * a client of the API and no part of it.
 */
export const createSiteFront = ({ name, root, headers, find }: Site, next: RequestListener): RequestListener => {
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
      if (qualityOf(accept, 'text/html') === 0) return say(404, `Not found: the ${name} has no such file.`);
      const page = errorPage(new Fault('not_found', ''), { acceptLanguage, home: [name, root], requestId: '' });
      return say(404, page.body, page.headers);
    }
    if (method !== 'GET' && method !== 'HEAD')
      return say(405, `Method not allowed: the ${name} answers GET and HEAD.`, { Allow: 'GET, HEAD' });
    if (file) return sendFile(request, response, file);
    return say(308, `The ${name} is at ${root}.`, { Location: query === undefined ? root : `${root}?${query}` });
  };
};
