import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { ClientGone, familyA, faultOf } from '@boxoffice/http';
import { errorPage, type PageAnswer } from '@boxoffice/pages';
import { beginAnswer, endAnswer, type Logger, nameOperation, runWithTrace, type Trace } from '@boxoffice/runtime';
import { type PageRequest, readPageRequest } from './request.ts';

/** Answers GET, HEAD and POST of one path. */
export type PageHandler = (request: PageRequest) => Promise<PageAnswer>;

interface PagesOptions {
  /** The handlers by path. Below each of them there is nothing. */
  readonly handlers: ReadonlyMap<string, PageHandler>;
  /** The public base URL. */
  readonly publicUrl: string;
  readonly logger: Pick<Logger, 'error'>;
}

const METHODS = ['GET', 'HEAD', 'POST'];

/** The name of the pages in logs and spans; they are no operations of the interface. */
const OPERATION = 'authorizerPages';

const send = (request: IncomingMessage, response: ServerResponse, trace: Trace, answer: PageAnswer): void => {
  const body = Buffer.from(answer.body);
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).flatMap((each) => [name, each]),
  );
  headers.push('Content-Length', `${body.length}`, 'X-Request-Id', trace.requestId, 'traceparent', trace.traceparent);
  response.writeHead(answer.status, headers).end(request.method === 'HEAD' ? undefined : body);
};

/** Serves the pages and passes every other request on. Their errors are pages as well. */
export const createPagesFront = ({ handlers, publicUrl, logger }: PagesOptions) => {
  const { origin } = new URL(publicUrl);
  const paths = [...handlers.keys()];

  const answer = async (request: IncomingMessage, path: string, trace: Trace): Promise<PageAnswer> => {
    const handler = handlers.get(path);
    if (!handler) throw new Fault('not_found', 'There is no such page.');
    if (!METHODS.includes(request.method ?? '')) {
      throw new Fault('method_not_allowed', 'A page supports GET, HEAD and POST.', { Allow: METHODS.join(', ') });
    }
    return handler(await readPageRequest(request, origin, trace.requestId));
  };

  return (next: RequestListener): RequestListener =>
    (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (!paths.some((one) => path === one || path.startsWith(`${one}/`))) {
        next(request, response);
        return;
      }
      const { trace, span } = beginAnswer(request, 'authorizer', OPERATION);
      nameOperation(response, OPERATION);
      if (span) response.once('close', () => endAnswer(span, OPERATION, response));
      runWithTrace(trace, () => answer(request, path, trace))
        .catch((error: unknown) =>
          error instanceof ClientGone
            ? undefined
            : errorPage(faultOf(error, OPERATION, familyA, logger), {
                acceptLanguage: request.headers['accept-language'],
                requestId: trace.requestId,
              }),
        )
        .then((page) => {
          if (page && !response.destroyed) send(request, response, trace, page);
          else response.destroy();
        });
    };
};
