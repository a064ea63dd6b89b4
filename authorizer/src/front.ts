// Serves the internal operations without the route table: their callers authenticate with HTTP Basic, because they have
// no identity yet that the table accepts.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault, success } from '@boxoffice/envelope';
import { ClientGone, familyA, faultOf, type Reply, readBody, refusal, send } from '@boxoffice/http';
import { beginAnswer, endAnswer, type Logger, nameOperation, runWithTrace } from '@boxoffice/runtime';
import type { InternalOperation } from './decisions/internal.ts';

/** Above the size of any body of an internal operation. */
const INTERNAL_LIMIT_BYTES = 16_384;

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' } as const;

/** Answers requests to one operation. */
interface Route {
  readonly id: string;
  answer(request: IncomingMessage): Promise<Reply>;
}

const internalRoute = (operation: InternalOperation): Route => ({
  id: operation.id,
  async answer(request) {
    const { url = '', method, headers } = request;
    if (method !== operation.method) {
      throw new Fault('method_not_allowed', `This path supports ${operation.method}.`, { Allow: operation.method });
    }
    if (method === 'POST' && !(Number(headers['content-length']) <= INTERNAL_LIMIT_BYTES)) {
      throw new Fault(
        'payload_too_large',
        `The request body must have a length of at most ${INTERNAL_LIMIT_BYTES} bytes.`,
      );
    }
    const body = method === 'POST' ? String(await readBody(request)) : '';
    const query = new URL(url, 'http://authorizer').search.slice(1);
    const data = await operation.answer({ authorization: headers.authorization, query, body });
    return {
      status: 200,
      headers: { ...JSON_TYPE, 'Cache-Control': 'no-store' },
      body: JSON.stringify(success(data)),
    };
  },
});

export interface FrontOptions {
  readonly internal: readonly InternalOperation[];
  readonly logger: Pick<Logger, 'error'>;
}

/** Makes the listener in front of the route table; other requests go to the table. */
export const createFront = ({ internal, logger }: FrontOptions) => {
  const byPath = new Map(internal.map((operation) => [operation.path, internalRoute(operation)]));

  const serve = (request: IncomingMessage, response: ServerResponse, { id, answer }: Route) => {
    const { trace, span } = beginAnswer(request, 'authorizer', id);
    nameOperation(response, id);
    if (span) response.once('close', () => endAnswer(span, id, response));
    const refuse = (error: unknown): Reply | undefined => {
      if (error instanceof ClientGone) return undefined;
      return refusal(familyA, faultOf(error, undefined, familyA, logger));
    };
    const exchange = { request, response, trace, startedAt: performance.now() };
    runWithTrace(trace, () => answer(request))
      .catch(refuse)
      .then((reply) => {
        if (reply && !response.destroyed) send(exchange, reply);
        else response.destroy();
      });
  };

  return (next: RequestListener): RequestListener =>
    (request, response) => {
      const route = byPath.get((request.url ?? '').split('?', 1)[0] ?? '');
      if (route) serve(request, response, route);
      else next(request, response);
    };
};
