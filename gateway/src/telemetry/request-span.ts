import type { IncomingMessage } from 'node:http';
import { parseTraceparent, recording, type Span, type Trace } from '@boxoffice/runtime';
import type { Exchange } from '../exchange/exchange.ts';
import { traceOf } from '../exchange/trace.ts';

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
