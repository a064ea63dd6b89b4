import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { IDENTITY_HEADER } from '@boxoffice/identity';
import type { Exchange } from '../exchange/exchange.ts';

/** Headers that belong to one connection (RFC 9110, 7.6.1), in both directions. */
const HOP_BY_HOP: readonly string[] = [
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

/** What clients may not tell services: it is dropped, and where it matters set anew. `expect` is the gateway's own to meet. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-length',
  'expect',
  'forwarded',
  'host',
  'traceparent',
  'via',
  'x-real-ip',
  'x-request-id',
]);

/** What services do not tell clients: what the gateway says itself, or what is nobody's business. */
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

/** Headers that two readers must not read differently: sent twice, they are refused. */
const ONCE: ReadonlySet<string> = new Set([
  'authorization',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'origin',
  'x-api-key',
  'x-auth-token',
  'x-service-host',
]);

/** Names that only the gateway sends. An underscore passes for a hyphen in some servers, so no name with one goes through. */
const isReserved = (name: string): boolean =>
  (name.startsWith('x-') && (name.startsWith('x-internal-') || name.startsWith('x-forwarded-'))) || name.includes('_');

/** The names that `Connection` lists (RFC 9110, 7.6.1): meant for the next hop alone. */
const listed = (connection: string | undefined): readonly string[] => {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return [];
  return connection.split(',').map((name) => name.trim().toLowerCase());
};

/** Refuses a request whose headers two readers could read differently. @throws {Fault} bad_request */
export const refuseAmbiguousHeaders = ({ rawHeaders, headers }: IncomingMessage): void => {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new Fault('bad_request', 'The only transfer coding understood is chunked.');
  }
  // Node joins or drops repeated headers; as many as were sent means that none was repeated.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (ONCE.has(name) && seen.has(name)) throw new Fault('bad_request', `The header ${name} may be sent once only.`);
    seen.add(name);
  }
};

/** The headers that go to the service: the client's own without what it may not tell, and the gateway's word on who calls and from where. */
export const forwardedHeaders = (exchange: Exchange, upstreamHost: string): Record<string, string | string[]> => {
  const { request, trace, address, identity, route } = exchange;
  const headers: Record<string, string | string[]> = { host: upstreamHost };
  copy(request.headers, headers);
  for (const name of listed(request.headers.connection)) if (name !== 'host') delete headers[name];
  // A verified token has done its work. Only operations without one get the client's credentials, such as the token endpoint.
  if (route?.scope !== undefined) delete headers.authorization;
  headers['x-request-id'] = trace.requestId;
  headers.traceparent = trace.traceparent;
  headers['x-forwarded-for'] = address;
  headers['x-forwarded-proto'] = 'https';
  if (identity !== undefined) headers[IDENTITY_HEADER] = identity;
  return headers;
};

const copy = (from: IncomingHttpHeaders, to: Record<string, string | string[]>): void => {
  for (const name in from) {
    const value = from[name];
    if (value !== undefined && !NOT_FORWARDED.has(name) && !isReserved(name)) to[name] = value;
  }
};

/** Adds a service's headers to those of the answer, names and values in turn, without what is not for clients. */
export const addReturnedHeaders = (headers: string[], { rawHeaders, headers: reply }: IncomingMessage): void => {
  const dropped = listed(reply.connection);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (NOT_RETURNED.has(lower) || lower.startsWith('x-internal-') || dropped.includes(lower)) continue;
    headers.push(name, rawHeaders[index + 1] ?? '');
  }
};
