import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { isKnown } from '@boxoffice/http';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Documentation } from '../documentation/documentation.ts';
import { answerFault, faultOf, setCommonHeaders } from '../exchange/answer.ts';
import type { Content } from '../exchange/content.ts';
import { answered, type Exchange, type Step } from '../exchange/exchange.ts';
import { noSuchEndpoint } from '../exchange/faults.ts';
import type { Documents } from './documents.ts';

const takesGzip = (header: string | undefined): boolean =>
  /(?:^|[,\s])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(header ?? '');

/** The gateway's own operations have no parameters. Family A refuses unknown ones, family B ignores them. */
const refuseParameters = ({ family, target }: Exchange): void => {
  const [name] = new URLSearchParams(target.query).keys();
  if (family === 'B' || name === undefined) return;
  throw new Fault('invalid_parameter', `query parameter ${name}: this operation has no such parameter`);
};

interface OwnOperationsOptions {
  readonly documents: Documents;
  readonly documentation: Documentation;
  readonly report: (error: unknown) => void;
}

/** Makes the step that answers the gateway's own operations. They are rare, so Express is fast enough. */
export const createOwnOperations = ({ documents, documentation, report }: OwnOperationsOptions): Step => {
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const app = express();
  app.disable('x-powered-by').enable('case sensitive routing').enable('strict routing').set('query parser', false);

  const send = async (request: Request, response: Response, content: Content): Promise<void> => {
    const { status, headers, etag, gzipped, read } = content;
    const zip = gzipped !== undefined && takesGzip(request.headers['accept-encoding']);
    response.status(status).set(headers);
    if (gzipped) response.vary('Accept-Encoding');
    const tag = zip ? etag?.replace(/"$/, '-gzip"') : etag;
    if (tag !== undefined) response.set('ETag', tag);
    if (tag !== undefined && isKnown(request.headers['if-none-match'], tag)) {
      response.removeHeader('Content-Type');
      response.status(304).end();
      return;
    }
    const body = zip ? await gzipped : await read();
    if (zip) response.set('Content-Encoding', 'gzip');
    response.send(body);
    const exchange = exchanges.get(request);
    if (exchange) exchange.bytesOut = request.method === 'HEAD' ? 0 : body.length;
  };

  const serve =
    (document: () => Content): RequestHandler =>
    (request, response) => {
      const exchange = exchanges.get(request);
      if (exchange) refuseParameters(exchange);
      return send(request, response, document());
    };

  const showPage: RequestHandler = async (request, response) => {
    const page = await documentation(request.path, request.headers.accept);
    if (!page) throw noSuchEndpoint();
    await send(request, response, page);
  };

  const refuse: ErrorRequestHandler = (error, request, response, _next) => {
    const exchange = exchanges.get(request);
    if (exchange) answerFault(exchange, faultOf(error, report));
    else response.destroy();
  };

  for (const [path, document] of documents) app.get(path, serve(document));
  app.get(/^\/(?:docs(?:\/.*)?)?$/, showPage);
  app.use(refuse);

  return (exchange) => {
    const { request, response, route, target } = exchange;
    if (route?.service !== 'gateway') return undefined;
    setCommonHeaders(exchange);
    exchanges.set(request, exchange);
    request.url = target.path;
    app(request, response);
    return answered;
  };
};
