import type { IncomingMessage } from 'node:http';
import { type Fault, PosFault } from '@boxoffice/envelope';
import cors from 'cors';
import { setCommonHeaders } from '../exchange/answer.ts';
import type { Check, Exchange } from '../exchange/exchange.ts';
import { createUnavailableFault } from '../exchange/faults.ts';
import type { NamedOrigins, Origins, PointsOfSale } from './origins.ts';

export const EXPOSED_HEADERS = [
  'X-Request-Id',
  'traceparent',
  'ETag',
  'Location',
  'Idempotency-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'Allow',
  'Link',
  'X-Total-Amount',
  'X-auth-token',
  'Content-Language',
  'Content-Disposition',
  'Sunset',
  'Deprecation',
];

const EXPOSED = EXPOSED_HEADERS.join(', ');

/** Seconds. */
const PREFLIGHT_SECONDS = 600;

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

type InstitutionCors = ReturnType<typeof createInstitutionCors>;

interface InstitutionCorsOptions {
  readonly origins: Pick<NamedOrigins, 'has'>;
  /** True for pages, which browsers navigate to: no script of another origin may read one. */
  readonly isPage: (path: string) => boolean;
  /** @throws {Fault} not_found, service_unavailable */
  readonly methodsAt: (exchange: Exchange) => string;
}

/** They contain no institution's data. */
const FOR_ANY_ORIGIN: ReadonlySet<string> = new Set([
  '/openapi.json',
  '/errors',
  '/auth/jwks',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]);

const TAKEN = [
  'Authorization',
  'X-API-Key',
  'Content-Type',
  'Accept-Language',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-Request-Id',
  'traceparent',
].join(', ');

const readableBy = (origin: string): readonly string[] => [
  'Access-Control-Allow-Origin',
  origin,
  'Access-Control-Expose-Headers',
  EXPOSED,
];

const FOR_ANYBODY = readableBy('*');

const NOT_NAMED = ['Vary', 'Origin'] as const;

/** Credentials are never allowed: tokens and keys are in headers that pages set themselves. */
export function createInstitutionCors({ origins, isPage, methodsAt }: InstitutionCorsOptions) {
  const applyTo = (exchange: Exchange, origin: string, isNamed: boolean): boolean => {
    exchange.corsHeaders = isNamed ? [...readableBy(origin), ...NOT_NAMED] : NOT_NAMED;
    return isNamed;
  };

  const decide = (exchange: Exchange): boolean | Promise<boolean> => {
    const { origin } = exchange.request.headers;
    if (FOR_ANY_ORIGIN.has(exchange.target.path)) {
      exchange.corsHeaders = FOR_ANYBODY;
      return true;
    }
    if (origin === undefined) return false;
    const named = origins.has(origin);
    return typeof named === 'boolean'
      ? applyTo(exchange, origin, named)
      : named.then((found) => applyTo(exchange, origin, found));
  };

  const answer = (exchange: Exchange, methods: string, isReadable: boolean): true => {
    const { response } = exchange;
    setCommonHeaders(exchange);
    if (isReadable) {
      response.setHeader('Access-Control-Allow-Methods', methods);
      response.setHeader('Access-Control-Allow-Headers', TAKEN);
      response.setHeader('Access-Control-Max-Age', `${PREFLIGHT_SECONDS}`);
    }
    response.writeHead(204).end();
    return true;
  };

  return {
    /** Answers 204 with the methods of the path, for an origin that the installation names. True for a preflight. */
    answerPreflight(exchange: Exchange): boolean | Promise<true> {
      const { family, request, target } = exchange;
      if (family !== 'A' || !isPreflight(request) || isPage(target.path)) return false;
      const methods = methodsAt(exchange);
      const readable = decide(exchange);
      return typeof readable === 'boolean'
        ? answer(exchange, methods, readable)
        : readable.then((found) => answer(exchange, methods, found));
    },
    /** Lets an origin that the installation names read the response, also that of an error. */
    allow(exchange: Exchange): ReturnType<Check> {
      const { family, target } = exchange;
      if (family !== 'A' || isPage(target.path)) return undefined;
      const readable = decide(exchange);
      return typeof readable === 'boolean' ? undefined : readable.then(() => undefined);
    },
  };
}

const SERVICE_HOST = 'x-service-host';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

export type Cors = ReturnType<typeof createCors>;

const everyone = cors({ origin: '*', exposedHeaders: EXPOSED_HEADERS });
const preflight = cors({ origin: '*', methods: METHODS, maxAge: PREFLIGHT_SECONDS });
const listed = cors({ origin: (origin, done) => done(null, origin ?? false), exposedHeaders: EXPOSED_HEADERS });

const ignoreResult = (): undefined => undefined;

const SCHEME = 'https://';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Family B follows section 4, rule 9. Without a catalog it allows no foreign origin. */
export function createCors(pointsOfSale: PointsOfSale | undefined, publicUrl: string, institution: InstitutionCors) {
  const { origin: publicOrigin, hostname: publicName } = new URL(publicUrl);

  const allowFrom = (exchange: Exchange, origin: string, origins: Origins | undefined): undefined => {
    const { request, response } = exchange;
    // The cors package takes every OPTIONS for a preflight; this one is none, and is refused later.
    if (request.method === 'OPTIONS') return;
    if (origins === 'all') everyone(request, response, ignoreResult);
    else if (origin === publicOrigin || isReached(origin, request, publicName) || origins?.includes(origin)) {
      listed(request, response, ignoreResult);
    } else exchange.originRefusal = refusalOf(origins);
  };

  return {
    /** In family B any origin is answered, because a preflight names no point of sale. True for a preflight. */
    answerPreflight(exchange: Exchange): boolean | Promise<true> {
      const { family, request, response } = exchange;
      if (family === 'A') return institution.answerPreflight(exchange);
      if (!isPreflight(request)) return false;
      setCommonHeaders(exchange);
      preflight(request, response, ignoreResult);
      return true;
    },
    /**
     * Errors can be read, too, by an origin that the point of sale allows, or the installation names. A request of any
     * other origin at a point of sale gets its `originRefusal`.
     */
    allow(exchange: Exchange): ReturnType<Check> {
      if (exchange.family === 'A') return institution.allow(exchange);
      const { request, response } = exchange;
      const { origin, [SERVICE_HOST]: host } = request.headers;
      response.setHeader('Vary', 'Origin');
      if (origin === undefined) return undefined;
      const origins = typeof host === 'string' && host !== '' ? pointsOfSale?.origins(host) : 'all';
      return typeof origins === 'object' && 'then' in origins
        ? origins.then((found) => allowFrom(exchange, origin, found))
        : allowFrom(exchange, origin, origins);
    },
  };
}

/**
 * This gateway itself, by the `Host` of the request: the public name at any port, a loopback name, or the local address
 * of the connection; no other name, because the client chooses `Host`. Only https is served.
 */
const isReached = (origin: string, { headers: { host }, socket }: Exchange['request'], publicName: string): boolean => {
  if (host === undefined || origin !== SCHEME + host) return false;
  const name = host.replace(/:\d*$/, '');
  return name === publicName || LOOPBACK.test(name) || bare(name) === bare(socket.localAddress ?? '');
};

const bare = (address: string): string => address.replace(/^::ffff:/, '').replace(/^\[(.*)\]$/, '$1');

const refusalOf = (origins: Origins | undefined): Fault =>
  origins === undefined
    ? createUnavailableFault('The allowed origins of the point of sale cannot be read; try again later.')
    : new PosFault('origin_not_allowed', 'The point of sale does not allow requests from this Origin.');
