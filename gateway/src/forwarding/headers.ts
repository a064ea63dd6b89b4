import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { IDENTITY_HEADER } from '@boxoffice/identity';
import { isBelow, isBuiltIn, type ServiceRow } from '@boxoffice/runtime/services';
import type { Exchange } from '../exchange/exchange.ts';
import { ForeignReply } from './failure.ts';

/** RFC 9110, 7.6.1. */
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

/** Every service gets these, beside what the gateway sets itself. */
const FORWARDED: readonly string[] = [
  'Accept',
  'Accept-Charset',
  'Accept-Encoding',
  'Accept-Language',
  'Content-Encoding',
  'Content-Language',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Range',
];

const RETURNED: readonly string[] = [
  'Accept-Ranges',
  'Age',
  'Allow',
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Range',
  'Content-Type',
  'Date',
  'ETag',
  'Expires',
  'Last-Modified',
  'Link',
  'Location',
  'Pragma',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Vary',
];

/** The product's own services may answer these besides. */
const RETURNED_BY_BUILT_IN: readonly string[] = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Deprecation',
  'Idempotency-Replayed',
  'Permissions-Policy',
  'Referrer-Policy',
  'Sunset',
  'WWW-Authenticate',
  'X-Frame-Options',
];

/** Keeps a team's pages out of the origin in which users sign in. */
const SANDBOX = ['Content-Security-Policy', 'sandbox allow-scripts allow-forms'] as const;

export type HeaderFilter = ReturnType<typeof createHeaderFilter>;

export function createHeaderFilter(row: ServiceRow, publicOrigin: string) {
  const { name: service, prefixes, headers: named, credentials = [], cookies = [] } = row;
  const isOwn = isBuiltIn(service);
  const toService = new Set([...FORWARDED, ...named].map((name) => name.toLowerCase()));
  const own = credentials.map((one) => one.split(' ') as [header: string, below?: string]);
  const toClient = mapByLowerCase([
    ...RETURNED,
    ...(isOwn ? RETURNED_BY_BUILT_IN : []),
    ...named,
    ...own.map(([header]) => header),
  ]);

  const copyCredentials = (from: IncomingHttpHeaders, path: string, to: Record<string, string | string[]>): void => {
    for (const [header, below] of own) {
      const name = header.toLowerCase();
      const value = from[name];
      if (value !== undefined && (below === undefined || isBelow(path, below))) to[name] = value;
    }
    if (cookies.length === 0 || from.cookie === undefined) return;
    const passing = from.cookie.split(';').filter((one) => cookies.includes(readCookieName(one)));
    if (passing.length > 0) to.cookie = passing.map((one) => one.trim()).join('; ');
  };

  /** Decides as browsers read the address, within what the row serves. */
  const staysWithin = (location: string, { target, host }: Exchange): boolean => {
    const origins = [publicOrigin, `https://${host}`];
    const base = `${publicOrigin}${target.path}`;
    if (!URL.canParse(location, base)) return false;
    const { origin, pathname } = new URL(location, base);
    return origins.includes(origin) && prefixes.some((prefix) => isBelow(pathname, prefix));
  };

  return {
    /** Keeps what passes of the client's, and adds the gateway's identity, trace and forwarding headers. */
    buildRequestHeaders(
      { request, trace, address, identity, target, host }: Exchange,
      upstreamHost: string,
    ): Record<string, string | string[]> {
      const headers: Record<string, string | string[]> = { host: upstreamHost };
      for (const name in request.headers) {
        const value = request.headers[name];
        if (value !== undefined && toService.has(name)) headers[name] = value;
      }
      copyCredentials(request.headers, target.path, headers);
      headers['x-request-id'] = trace.requestId;
      headers.traceparent = trace.traceparent;
      headers['x-forwarded-for'] = address;
      headers['x-forwarded-proto'] = 'https';
      if (host !== undefined) headers['x-forwarded-host'] = host;
      if (identity !== undefined) headers[IDENTITY_HEADER] = identity;
      return headers;
    },
    /** Names and values in turn. @throws {ForeignReply} for a `Location` outside the prefixes of a team's service */
    buildReplyHeaders(exchange: Exchange, { headers: answered, statusCode }: IncomingMessage): string[] {
      const headers: string[] = [];
      const dropped = listConnectionHeaders(answered.connection);
      // Node has joined repeated headers, or kept the first.
      for (const name in answered) {
        const print = toClient.get(name);
        const value = answered[name];
        if (print === undefined || value === undefined || dropped.includes(name)) continue;
        if (name === 'location' && !isOwn && !staysWithin(String(value), exchange))
          throw new ForeignReply('its Location is outside the prefixes of the service');
        // RFC 9110, 8.6.
        if (name === 'content-length' && statusCode === 204) continue;
        for (const one of Array.isArray(value) ? value : [value]) headers.push(print, one);
      }
      for (const cookie of answered['set-cookie'] ?? [])
        if (cookies.includes(readCookieName(cookie))) headers.push('Set-Cookie', cookie);
      if (!isOwn) headers.push(...SANDBOX);
      return headers;
    },
  };
}

const mapByLowerCase = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.map((name) => [name.toLowerCase(), name]));

const readCookieName = (cookie: string): string => cookie.split('=', 1)[0]?.trim() ?? '';

/** Headers that `Connection` names (RFC 9110, 7.6.1). */
const listConnectionHeaders = (connection: string | undefined): readonly string[] => {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return [];
  return connection.split(',').map((name) => name.trim().toLowerCase());
};
