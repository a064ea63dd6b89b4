import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseTraceparent, recording, requestIdFrom, type Span, type Trace, traceparentFrom } from '@boxoffice/runtime';
import type { Exchange } from '../exchange/exchange.ts';

/** Derives a traceparent from a UUID: its digits are the trace id, the last 16 the parent id. */
const traceparentOf = (uuid: string): string => {
  const [middle, last] = [uuid.slice(19, 23), uuid.slice(24)];
  return `00-${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(14, 18)}${middle}${last}-${middle}${last}-01`;
};

/** The request id and trace context of a request; new ones if the headers are missing or malformed. */
const traceOf = ({ 'x-request-id': requestId, traceparent }: IncomingHttpHeaders): Trace => {
  // Node caches random data for UUIDs; separate random bytes would cost ten times as much.
  const uuid = randomUUID();
  return {
    requestId: requestId === undefined ? uuid : requestIdFrom(requestId),
    traceparent: traceparent === undefined ? traceparentOf(uuid) : traceparentFrom(traceparent),
  };
};

/** The trace of a request, and its span if spans are recorded: everything that the request causes belongs to it. */
export const beginRequest = ({ headers, method }: IncomingMessage): Pick<Exchange, 'trace' | 'span'> => {
  const trace: Trace = traceOf(headers);
  const record = recording();
  if (!record) return { trace, span: undefined };
  const span = record({
    service: 'gateway',
    kind: 'server',
    name: String(method),
    parent: parseTraceparent(headers.traceparent) ? trace.traceparent : undefined,
    attributes: { 'http.request.method': String(method) },
  });
  return { trace: { requestId: trace.requestId, traceparent: span.traceparent }, span };
};

/** Ends the span of a request. Its name is the route, never the path, which contains user input. */
export const endRequest = (span: Span, { request, response, route, secure }: Exchange): void => {
  const { statusCode, writableFinished } = response;
  span.set({ 'url.scheme': secure ? 'https' : 'http' });
  if (route) {
    span.rename(`${request.method} ${route.template}`);
    span.set({ 'http.route': route.template, 'boxoffice.operation': route.operation });
  }
  if (writableFinished) span.set({ 'http.response.status_code': statusCode });
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
};
