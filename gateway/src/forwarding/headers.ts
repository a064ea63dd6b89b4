import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { IDENTITY_HEADER } from '@boxoffice/identity';
import type { Exchange } from '../exchange/exchange.ts';

/** Hop-by-hop headers (RFC 9110, 7.6.1), removed in both directions. */
export const HOP_BY_HOP: readonly string[] = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Request headers that clients may not pass to services; the gateway sets its own where needed, and answers `Expect`
 * itself.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-length',
  'expect',
  'forwarded',
  'host',
  'traceparent',
  'via',
  'x-api-key',
  'x-real-ip',
  'x-request-id',
]);

/** Response headers that services may not pass to clients; the gateway sets its own where needed. */
const NOT_RETURNED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'ratelimit',
  'ratelimit-policy',
  'server',
  'strict-transport-security',
  'traceparent',
  'x-content-type-options',
  'x-powered-by',
  'x-request-id',
]);

/**
 * Names that only the gateway sends. Names with an underscore are refused too, because some servers treat it as a
 * hyphen.
 */
const isReserved = (name: string): boolean =>
  (name.startsWith('x-') && (name.startsWith('x-internal-') || name.startsWith('x-forwarded-'))) || name.includes('_');

/** The names that a service's `Connection` lists (RFC 9110, 7.6.1), which apply to one hop only. */
const listed = (connection: string | undefined): readonly string[] => {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return [];
  return connection.split(',').map((name) => name.trim().toLowerCase());
};

/**
 * The headers for the service: the client's own except the reserved ones, and the gateway's identity, trace and
 * forwarding headers.
 */
export const forwardedHeaders = (exchange: Exchange, upstreamHost: string): Record<string, string | string[]> => {
  const { request, trace, address, identity, route } = exchange;
  const headers: Record<string, string | string[]> = { host: upstreamHost };
  copy(request.headers, headers);
  // The service never receives a verified token. Only operations without one receive the client's credentials, such as
  // the token endpoint.
  if (route?.scope !== undefined) delete headers.authorization;
  headers['x-request-id'] = trace.requestId;
  headers.traceparent = trace.traceparent;
  headers['x-forwarded-for'] = address;
  headers['x-forwarded-proto'] = 'https';
  if (request.headers.host !== undefined) headers['x-forwarded-host'] = request.headers.host;
  if (identity !== undefined) headers[IDENTITY_HEADER] = identity;
  return headers;
};

const copy = (from: IncomingHttpHeaders, to: Record<string, string | string[]>): void => {
  for (const name in from) {
    const value = from[name];
    if (value !== undefined && !NOT_FORWARDED.has(name) && !isReserved(name)) to[name] = value;
  }
};

/** Appends a service's response headers, names and values in turn, except those that are not for clients. */
export const addReturnedHeaders = (headers: string[], { rawHeaders, headers: reply }: IncomingMessage): void => {
  const dropped = listed(reply.connection);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (NOT_RETURNED.has(lower) || lower.startsWith('x-internal-') || dropped.includes(lower)) continue;
    headers.push(name, rawHeaders[index + 1] ?? '');
  }
};
