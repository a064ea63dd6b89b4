import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault, toFailure, toPosFailure } from '@boxoffice/envelope';
import { BODY_LIMIT_BYTES, parseQuality } from '@boxoffice/http';
import { renderErrorPage } from '@boxoffice/pages';
import { type Refuse, readRequestId } from '@boxoffice/runtime';
import { DOCS } from '../documentation/guides.ts';
import { type Exchange, formatRateLimit } from './exchange.ts';
import { type Family, toFamilyFault } from './faults.ts';
import { toFamily } from './target.ts';

const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const;

/** RFC 6797: sent over TLS only. */
const HSTS = 'Strict-Transport-Security';

/** Undefined omits the header, 0 makes browsers forget it. */
export function formatHsts(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `max-age=${seconds}`;
}

export function buildSecurityHeaders(hsts: string | undefined): Readonly<Record<string, string>> {
  return {
    [NO_SNIFFING[0]]: NO_SNIFFING[1],
    ...(hsts === undefined ? {} : { [HSTS]: hsts }),
  };
}

/** Errors of these paths carry OAuth members as well. */
const ENDPOINTS = /^(?:https?:\/\/[^/?#]*)?\/auth\/(?:token|introspect|revoke)(?:[?#]|$)/;

/** An error_description cannot contain these (RFC 6749, 5.2). */
const UNDESCRIBABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** True for browsers, not for programs. */
export function isHtmlPreferred(accept = ''): boolean {
  const quality = parseQuality(accept, 'text/html');
  return quality > 0 && quality >= parseQuality(accept, 'application/json');
}

interface Refused {
  readonly family: Family;
  /** The raw request target. */
  readonly url: string | undefined;
  readonly acceptLanguage?: string | undefined;
  /** True if a person reads the answer. */
  readonly isPage: boolean;
  readonly requestId: string;
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };

/** Decides by the raw request line between a page and the error shape of its family. */
export function refuseByLine(
  headers: Readonly<Record<string, string>>,
  isPage: (url: string | undefined) => boolean,
): Refuse {
  return ({ code, details, path }) => {
    const requestId = readRequestId(undefined);
    const answer = buildFaultAnswer(new Fault(code, details), {
      family: toFamily(path),
      url: path,
      isPage: isPage(path),
      requestId,
    });
    return { headers: { ...answer.headers, 'X-Request-Id': requestId, ...headers }, body: answer.body };
  };
}

const buildFaultAnswer = (fault: Fault, { family, url, acceptLanguage, isPage, requestId }: Refused) => {
  if (isPage) {
    const { headers, body } = renderErrorPage(fault, { acceptLanguage, requestId, home: ['docs', DOCS] });
    // Every response of the gateway has this one already.
    const own = Object.entries(headers).filter(([name]) => name !== NO_SNIFFING[0]);
    return { headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])), body };
  }
  const members = family === 'B' ? toPosFailure(fault) : { ...toFailure(fault), ...buildOAuthMembers(url, fault) };
  return { headers: { ...JSON_HEADERS, ...fault.headers }, body: JSON.stringify(members) };
};

/** Other paths have none (RFC 6749, 5.2). `url` is raw, because requests can be refused before it is parsed. */
const buildOAuthMembers = (url: string | undefined, fault: Fault): object =>
  ENDPOINTS.test(url ?? '')
    ? { error: toErrorCode(fault), error_description: fault.details.replaceAll(UNDESCRIBABLE, "'") }
    : {};

const toErrorCode = ({ http }: Fault): string => {
  if (http === 429 || http === 503) return 'temporarily_unavailable';
  return http >= 500 ? 'server_error' : 'invalid_request';
};

export function buildCommonHeaders({ trace, quota, hsts, corsHeaders }: Exchange): string[] {
  const headers = ['X-Request-Id', trace.requestId, 'traceparent', trace.traceparent, ...NO_SNIFFING];
  if (hsts !== undefined) headers.push(HSTS, hsts);
  if (quota) headers.push('RateLimit-Policy', quota.policy.field, 'RateLimit', formatRateLimit(quota));
  for (const part of corsHeaders) headers.push(part);
  return headers;
}

export function setCommonHeaders(exchange: Exchange): void {
  const headers = buildCommonHeaders(exchange);
  for (let index = 0; index < headers.length; index += 2) {
    exchange.response.setHeader(headers[index] ?? '', headers[index + 1] ?? '');
  }
}

/** A response that has started cannot be replaced: its connection is closed. */
export function answerFault(exchange: Exchange, thrown: Fault): void {
  const { request, response, family } = exchange;
  const fault = toFamilyFault(family, thrown);
  // Node answers a request timeout itself, directly on the socket.
  if (response.headersSent || request.socket.writableEnded) {
    response.destroy();
    return;
  }
  const { requestId } = exchange.trace;
  const acceptLanguage = request.headers['accept-language'];
  const isLost = fault.http === 404 && exchange.secure && exchange.route === undefined && isBrowser(request);
  const isPage = isLost || exchange.hasErrorPages(request.url);
  const answer = buildFaultAnswer(fault, { family, url: request.url, acceptLanguage, isPage, requestId });
  const body = Buffer.from(answer.body);
  const headers = [...buildCommonHeaders(exchange), ...Object.entries(answer.headers).flat()];
  headers.push('Content-Length', `${body.length}`);
  exchange.bytesOut = request.method === 'HEAD' ? 0 : body.length;
  if (isBodyPending(request)) {
    if (closesConnection(request, fault)) headers.push('Connection', 'close');
    response.writeHead(fault.http, headers);
    drainThenEnd(request, response, body);
  } else {
    response.writeHead(fault.http, headers);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

const isBrowser = ({ method, headers: { accept } }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && isHtmlPreferred(accept);

/** `report` receives values that are not Faults: these are bugs. */
export function toFault(error: unknown, report: (error: unknown) => void): Fault {
  if (error instanceof Fault) return error;
  report(error);
  return new Fault(
    'internal_error',
    'An unexpected error occurred. The log has the cause under this response’s X-Request-Id.',
  );
}

/**
 * Milliseconds within which the rest of a refused request's body is discarded, so that the client receives the response
 * instead of a connection reset.
 */
const SILENCE_MS = 2_000;
const DRAIN_MS = 10_000;
const DRAIN_BYTES = 16_777_216;

/** Responses that were sent completely before their request had ended. */
const early = new WeakSet<ServerResponse>();

export function isAnswered(response: ServerResponse): boolean {
  return response.writableFinished || early.has(response);
}

const isBodyPending = ({ headers, complete, socket }: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return !complete && !socket.destroyed && (coding !== undefined || (length !== undefined && length !== '0'));
};

/** True if the rest of the body is too much to wait for. */
const closesConnection = ({ headers }: IncomingMessage, { code }: Fault): boolean =>
  code === 'payload_too_large' || code === 'request_timeout' || Number(headers['content-length']) > BODY_LIMIT_BYTES;

/**
 * Ends the response only when the request has ended or the drain bounds are reached. Ending it earlier would make Node
 * close the connection with unread bytes, which resets it, and would let a timeout of this request answer the next one
 * on the connection.
 */
const drainThenEnd = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
  const { socket } = request;
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  early.add(response);
  let bytes = 0;
  const stop = (): void => {
    clearTimeout(silence);
    clearTimeout(whole);
    request.off('data', onData).off('end', end);
    response.off('close', stop);
  };
  const end = (): void => {
    stop();
    response.end();
  };
  const cut = (): void => {
    stop();
    socket.destroy();
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    silence.refresh();
    if (bytes > DRAIN_BYTES) cut();
  };
  const silence = setTimeout(cut, SILENCE_MS);
  const whole = setTimeout(cut, DRAIN_MS);
  request.on('data', onData).on('end', end);
  response.on('close', stop);
  request.resume();
};
