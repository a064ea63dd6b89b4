import { Fault } from '@boxoffice/envelope';
import { isKnown, selectCoding } from '@boxoffice/http';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Documents } from '../descriptions/documents.ts';
import type { Documentation } from '../documentation/documentation.ts';
import { setCommonHeaders } from '../exchange/answer.ts';
import type { Content } from '../exchange/content.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { createNoSuchEndpointFault } from '../exchange/faults.ts';

export interface OwnOperations {
  readonly documents: Documents;
  readonly documentation: Documentation;
}

export function answerOwnOperations({ documents, documentation }: OwnOperations): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, document] of documents) {
    router.get(path, async (request, response) => {
      refuseParameters(request.exchange);
      await send(request, response, document());
    });
  }
  router.get(/^\/(?:docs(?:\/.*)?)?$/, async (request, response) => {
    const page = await documentation(request.path, request.headers.accept);
    if (!page) throw createNoSuchEndpointFault();
    await send(request, response, page);
  });

  return (request, response, next) => {
    const { exchange } = request;
    if (exchange.route?.service !== 'gateway') return next();
    setCommonHeaders(exchange);
    request.url = exchange.target.path;
    router(request, response, next);
  };
}

/** Family A refuses unknown parameters, family B ignores them. */
function refuseParameters({ family, target }: Exchange): void {
  const [name] = new URLSearchParams(target.query).keys();
  if (family === 'B' || name === undefined) return;
  throw new Fault('invalid_parameter', `query parameter ${name}: this operation has no such parameter`);
}

async function send(request: Request, response: Response, content: Content): Promise<void> {
  const { status, headers, etag, gzipped, read } = content;
  const zip = gzipped !== undefined && selectCoding(request.headers['accept-encoding'], ['gzip']) !== undefined;
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
  request.exchange.bytesOut = request.method === 'HEAD' ? 0 : body.length;
}
