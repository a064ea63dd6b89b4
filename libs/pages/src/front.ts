import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { ClientGone, familyA, readBody, readBodyText, toFault } from '@boxoffice/http';
import { beginAnswer, endAnswer, type Logger, nameOperation, runWithTrace, type Trace } from '@boxoffice/runtime';
import { renderErrorPage } from './error-page.ts';
import type { PageAnswer } from './page.ts';

export interface PageRequest {
  /** HEAD is GET. */
  readonly method: 'GET' | 'POST';
  /** Whether only the headers are wanted: nothing may be granted or changed. */
  readonly isHead: boolean;
  /** The parameters of the query, and of the body of a POST, in their order; empty ones count as absent. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly cookie: string | undefined;
  readonly acceptLanguage: string | undefined;
  /** Whether the browser says that another site sent this form. */
  readonly isCrossSite: boolean;
  readonly address: string;
  readonly requestId: string;
  readonly hasLeft: () => boolean;
}

/** Larger than any form of these pages. */
const LIMIT_BYTES = 32_768;

/** The value of a parameter that is sent once; undefined where it is absent or repeated. */
export function readSingleParameter({ parameters }: Pick<PageRequest, 'parameters'>, name: string): string | undefined {
  const values = parameters.filter(([key]) => key === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}

export type PageHandler = (request: PageRequest) => Promise<PageAnswer>;

interface PagesOptions {
  readonly service: string;
  /** Every path at or below one of these is a page, or there is none. */
  readonly roots: readonly string[];
  readonly find: (path: string) => PageHandler | undefined;
  readonly publicUrl: string;
  readonly logger: Pick<Logger, 'error'>;
}

const METHODS = ['GET', 'HEAD', 'POST'];

/** Serves the pages and passes every other request on. Their errors are pages as well. */
export function createPagesFront({ service, roots, find, publicUrl, logger }: PagesOptions) {
  const { origin } = new URL(publicUrl);
  /** The name of the pages in logs and spans; they are no operations of the interface. */
  const operation = `${service}Pages`;

  const answer = async (request: IncomingMessage, path: string, trace: Trace): Promise<PageAnswer> => {
    const handler = find(path);
    if (!handler) throw new Fault('not_found', 'There is no such page.');
    if (!METHODS.includes(request.method ?? '')) {
      throw new Fault('method_not_allowed', 'A page supports GET, HEAD and POST.', { Allow: METHODS.join(', ') });
    }
    return handler(await readPageRequest(request, origin, trace.requestId));
  };

  return (next: RequestListener): RequestListener =>
    (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (!roots.some((one) => path === one || path.startsWith(`${one}/`))) {
        next(request, response);
        return;
      }
      const { trace, span } = beginAnswer(request, service, operation);
      nameOperation(response, operation);
      if (span) response.once('close', () => endAnswer(span, operation, response));
      runWithTrace(trace, () => answer(request, path, trace))
        .catch((error: unknown) =>
          error instanceof ClientGone
            ? undefined
            : renderErrorPage(toFault(error, operation, familyA, logger), {
                acceptLanguage: request.headers['accept-language'],
                requestId: trace.requestId,
              }),
        )
        .then((page) => {
          if (page && !response.destroyed) send(request, response, trace, page);
          else response.destroy();
        });
    };
}

/** Reads a request. `origin` is that of the pages. @throws {Fault} bad_request, payload_too_large; {ClientGone} */
const readPageRequest = async (request: IncomingMessage, origin: string, requestId: string): Promise<PageRequest> => {
  const { headers, url = '', socket } = request;
  const isPost = request.method === 'POST';
  const body = isPost ? await readBody(request, LIMIT_BYTES) : undefined;
  const text = body?.length ? readBodyText(request, body, 'application/x-www-form-urlencoded') : '';
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const parameters = [...new URLSearchParams(query), ...new URLSearchParams(text)].filter(([, value]) => value !== '');
  return {
    method: isPost ? 'POST' : 'GET',
    isHead: request.method === 'HEAD',
    parameters,
    cookie: headers.cookie,
    acceptLanguage: readFirst(headers['accept-language']),
    isCrossSite: isCrossSite(request, origin),
    address: readAddress(request),
    requestId,
    hasLeft: () => socket.destroyed,
  };
};

const readFirst = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];

/** `Origin` and `Sec-Fetch-Site` of browsers that send them (Fetch, 3.2; Fetch Metadata, 2.1). */
const isCrossSite = ({ headers }: IncomingMessage, origin: string): boolean => {
  const site = readFirst(headers['sec-fetch-site']);
  return (headers.origin !== undefined && headers.origin !== origin) || (site !== undefined && site !== 'same-origin');
};

/** The first address of X-Forwarded-For, which the gateway sets. */
const readAddress = ({ headers, socket }: IncomingMessage): string =>
  readFirst(headers['x-forwarded-for'])?.split(',', 1)[0]?.trim() || (socket.remoteAddress ?? '');

const send = (request: IncomingMessage, response: ServerResponse, trace: Trace, answer: PageAnswer): void => {
  const body = Buffer.from(answer.body);
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).flatMap((each) => [name, each]),
  );
  headers.push('Content-Length', `${body.length}`, 'X-Request-Id', trace.requestId, 'traceparent', trace.traceparent);
  response.writeHead(answer.status, headers).end(request.method === 'HEAD' ? undefined : body);
};
