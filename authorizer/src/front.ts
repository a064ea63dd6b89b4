import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Fault, failureOf, success } from '@boxoffice/envelope';
import { ClientGone, familyA, faultOf } from '@boxoffice/http';
import { beginAnswer, endAnswer, type Logger, nameOperation, runWithTrace, type Trace } from '@boxoffice/runtime';
import { NO_STORE, OAuthFault, onOAuthFault } from './authentication/oauth-error.ts';
import type { InternalOperation } from './decisions/internal.ts';
import type { IssueToken, TokenForm } from './tokens/issue.ts';

// An HTTP handler of its own, because the token endpoint is the hottest operation of the installation: through the
// route table of libs/http, `npm run bench -- tokens` gave 0.49 instead of 0.66 times the bare signatures of one core
// (medians of five interleaved pairs).

/**
 * Larger than any form or internal request needs; a larger token request goes to the route table, any other is refused.
 */
const LIMIT_BYTES = 16_384;

const FORM = /^application\/x-www-form-urlencoded(?:\s*;\s*charset=utf-8)?$/i;

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

const readBody = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(String(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))));
    request.on('error', () => reject(new ClientGone()));
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
  });

const isSmall = ({ headers }: IncomingMessage, limitBytes = LIMIT_BYTES): boolean =>
  Number(headers['content-length']) <= limitBytes;

const send = (request: IncomingMessage, response: ServerResponse, trace: Trace, { status, headers, body }: Reply) => {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': length,
    'X-Request-Id': trace.requestId,
    traceparent: trace.traceparent,
    ...headers,
  });
  // ASCII text, as tokens are, is sent in one write with the headers and not encoded again.
  response.end(request.method === 'HEAD' ? undefined : text, length === text.length ? 'latin1' : 'utf8');
};

const TOKEN_OPERATION = 'createToken';

/** Whether this is a token request in its usual form. */
const isPlainTokenRequest = (request: IncomingMessage): boolean =>
  request.url === '/auth/token' &&
  request.method === 'POST' &&
  FORM.test(request.headers['content-type'] ?? '') &&
  request.headers['content-encoding'] === undefined &&
  isSmall(request);

/** The fields of a form as the route table reads them: an empty one is absent, a repeated one is refused. */
const readForm = (body: string): TokenForm => {
  const fields: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (seen.has(name)) throw new OAuthFault('bad_request', 'invalid_request', 'A form field is repeated.');
    seen.add(name);
    if (value !== '') fields[name] = value;
  }
  return fields;
};

const token = async (issue: IssueToken, request: IncomingMessage): Promise<Reply> => {
  const issued = await issue(readForm(await readBody(request)), request.headers.authorization);
  return { status: 200, headers: NO_STORE, body: { ...success(issued), ...issued } };
};

const internal = async (operation: InternalOperation, request: IncomingMessage): Promise<Reply> => {
  const { url = '', method, headers } = request;
  if (method !== operation.method) {
    throw new Fault('method_not_allowed', `This path supports ${operation.method}.`, { Allow: operation.method });
  }
  if (method === 'POST' && !isSmall(request, operation.limitBytes))
    throw new Fault('payload_too_large', 'The request body is too large.');
  const body = method === 'POST' ? await readBody(request) : '';
  const query = new URL(url, 'http://authorizer').search.slice(1);
  const data = await operation.answer({ authorization: headers.authorization, query, body });
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: success(data) };
};

export interface FrontOptions {
  readonly issue: IssueToken;
  readonly internal: readonly InternalOperation[];
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Serves the internal operations and plain token requests. Every other request, an unusual token request included, goes
 * to the route table.
 */
export const createFront = ({ issue, internal: operations, logger }: FrontOptions) => {
  const byPath = new Map(operations.map((operation) => [operation.path, operation]));

  const fault = (error: unknown, oauth: boolean): Reply => {
    const known = faultOf(error, undefined, familyA, logger);
    const more = oauth ? onOAuthFault(known) : { headers: { 'Cache-Control': 'no-store' }, members: {} };
    return {
      status: known.http,
      headers: { ...known.headers, ...more.headers },
      body: { ...failureOf(known), ...more.members },
    };
  };

  const serve = (
    request: IncomingMessage,
    response: ServerResponse,
    operation: string,
    answer: () => Promise<Reply>,
  ) => {
    const { trace, span } = beginAnswer(request, 'authorizer', operation);
    nameOperation(response, operation);
    if (span) response.once('close', () => endAnswer(span, operation, response));
    const oauth = operation === TOKEN_OPERATION;
    runWithTrace(trace, answer)
      .catch((error: unknown) => (error instanceof ClientGone ? undefined : fault(error, oauth)))
      .then((reply) => {
        if (reply && !response.destroyed) send(request, response, trace, reply);
        else response.destroy();
      });
  };

  return (next: RequestListener): RequestListener =>
    (request, response) => {
      if (isPlainTokenRequest(request)) {
        serve(request, response, TOKEN_OPERATION, () => token(issue, request));
        return;
      }
      const operation = byPath.get((request.url ?? '').split('?', 1)[0] ?? '');
      if (operation) serve(request, response, operation.id, () => internal(operation, request));
      else next(request, response);
    };
};
