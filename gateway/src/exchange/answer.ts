import { Fault, failureOf, posFailure } from '@boxoffice/envelope';
import { closesConnection, drainThenEnd, isBodyPending } from './drain-body.ts';
import type { Exchange } from './exchange.ts';
import { inFamily } from './faults.ts';
import { oauthMembers } from './oauth-members.ts';
import { rateLimitField } from './quota.ts';
import { HSTS, NO_SNIFFING } from './security-headers.ts';
import type { Family } from './target.ts';

/** The body of an error in the family's shape; `url` is the request line's. */
export const faultBody = (family: Family, fault: Fault, url: string | undefined): string =>
  JSON.stringify(family === 'B' ? posFailure(fault) : { ...failureOf(fault), ...oauthMembers(url, fault) });

/** The headers that every answer carries, names and values in turn. */
export const commonHeaders = ({ trace, quota, hsts }: Exchange): string[] => {
  const headers = ['X-Request-Id', trace.requestId, 'traceparent', trace.traceparent, ...NO_SNIFFING];
  if (hsts !== undefined) headers.push(HSTS, hsts);
  if (quota) headers.push('RateLimit-Policy', quota.policy.field, 'RateLimit', rateLimitField(quota));
  return headers;
};

/** Sets the same on a response that somebody else will write. */
export const setCommonHeaders = (exchange: Exchange): void => {
  const headers = commonHeaders(exchange);
  for (let index = 0; index < headers.length; index += 2) {
    exchange.response.setHeader(headers[index] ?? '', headers[index + 1] ?? '');
  }
};

/** Answers with a fault, in the family's terms and shape. An answer that has begun cannot be taken back: its connection is cut. */
export const answerFault = (exchange: Exchange, thrown: Fault): void => {
  const { request, response, family } = exchange;
  const fault = inFamily(family, thrown);
  // The server answers a request that does not arrive in time itself, straight to the socket.
  if (response.headersSent || request.socket.writableEnded) {
    response.destroy();
    return;
  }
  const body = Buffer.from(faultBody(family, fault, request.url));
  const headers = commonHeaders(exchange);
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', `${body.length}`);
  headers.push('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(fault.headers)) headers.push(name, value);
  if (isBodyPending(request)) {
    if (closesConnection(request, fault)) headers.push('Connection', 'close');
    response.writeHead(fault.http, headers);
    drainThenEnd(request, response, body);
  } else {
    response.writeHead(fault.http, headers);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
};

/** Any thrown thing as a fault. `report` hears of what is no fault: it is a mistake of ours. */
export const faultOf = (error: unknown, report: (error: unknown) => void): Fault => {
  if (error instanceof Fault) return error;
  report(error);
  return new Fault('internal_error', 'An unexpected error happened. The request id tells our logs which.');
};
