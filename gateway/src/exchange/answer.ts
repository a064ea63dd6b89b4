import { Fault, failureOf, posFailure } from '@boxoffice/envelope';
import { closesConnection, drainThenEnd, isBodyPending } from './drain-body.ts';
import type { Exchange } from './exchange.ts';
import { inFamily } from './faults.ts';
import { oauthMembers } from './oauth-members.ts';
import { rateLimitField } from './quota.ts';
import { HSTS, NO_SNIFFING } from './security-headers.ts';
import type { Family } from './target.ts';

/** The body of an error in the family's shape; `url` is the raw request target. */
export const faultBody = (family: Family, fault: Fault, url: string | undefined): string =>
  JSON.stringify(family === 'B' ? posFailure(fault) : { ...failureOf(fault), ...oauthMembers(url, fault) });

/** The headers of every response, names and values in turn. */
export const commonHeaders = ({ trace, quota, hsts, corsHeaders }: Exchange): string[] => {
  const headers = ['X-Request-Id', trace.requestId, 'traceparent', trace.traceparent, ...NO_SNIFFING];
  if (hsts !== undefined) headers.push(HSTS, hsts);
  if (quota) headers.push('RateLimit-Policy', quota.policy.field, 'RateLimit', rateLimitField(quota));
  for (const part of corsHeaders) headers.push(part);
  return headers;
};

/** Sets the common headers on a response that another library writes. */
export const setCommonHeaders = (exchange: Exchange): void => {
  const headers = commonHeaders(exchange);
  for (let index = 0; index < headers.length; index += 2) {
    exchange.response.setHeader(headers[index] ?? '', headers[index + 1] ?? '');
  }
};

/**
 * Answers with a fault in the family's codes and shape. A response that has started cannot be replaced: its connection
 * is closed.
 */
export const answerFault = (exchange: Exchange, thrown: Fault): void => {
  const { request, response, family } = exchange;
  const fault = inFamily(family, thrown);
  // Node answers a request timeout itself, directly on the socket.
  if (response.headersSent || request.socket.writableEnded) {
    response.destroy();
    return;
  }
  const body = Buffer.from(faultBody(family, fault, request.url));
  const headers = commonHeaders(exchange);
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', `${body.length}`);
  headers.push('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(fault.headers)) headers.push(name, value);
  exchange.bytesOut = request.method === 'HEAD' ? 0 : body.length;
  if (isBodyPending(request)) {
    if (closesConnection(request, fault)) headers.push('Connection', 'close');
    response.writeHead(fault.http, headers);
    drainThenEnd(request, response, body);
  } else {
    response.writeHead(fault.http, headers);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
};

/** Maps any thrown value to a Fault. `report` receives values that are not Faults: these are bugs. */
export const faultOf = (error: unknown, report: (error: unknown) => void): Fault => {
  if (error instanceof Fault) return error;
  report(error);
  return new Fault(
    'internal_error',
    'An unexpected error occurred. The log has the cause under this response’s X-Request-Id.',
  );
};
