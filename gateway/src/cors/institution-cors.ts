import type { IncomingMessage } from 'node:http';
import { setCommonHeaders } from '../exchange/answer.ts';
import { answered, type Exchange, type Step } from '../exchange/exchange.ts';
import type { NamedOrigins } from './named-origins.ts';

/** Every response header that the interface defines, in both families. */
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

/** How long browsers cache a preflight response. Seconds. */
export const PREFLIGHT_SECONDS = 600;

/** Whether the request is a browser's preflight. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** The cross-origin rules of family A. */
export interface InstitutionCors {
  /** Answers a preflight with 204: with the methods of the path for an origin that the installation names. */
  readonly preflight: Step;
  /** Lets the origin read the response, including errors, if the installation names it. */
  readonly allow: Step;
}

interface InstitutionCorsOptions {
  readonly origins: Pick<NamedOrigins, 'has'>;
  /** Whether browsers navigate to the path: no script of another origin may read a page. */
  readonly isPage: (path: string) => boolean;
  /** The value of `Allow` at the exchange's path. @throws {Fault} not_found, service_unavailable */
  readonly methodsAt: (exchange: Exchange) => string;
}

/** Documents without any institution's data, which pages of any origin may read. */
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

/** Makes the steps. Credentials are never allowed: tokens and keys are in headers that pages set themselves. */
export const createInstitutionCors = ({ origins, isPage, methodsAt }: InstitutionCorsOptions): InstitutionCors => {
  /** Sets the headers for the exchange's origin; whether it may read the response. */
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

  const answer = (exchange: Exchange, methods: string, isReadable: boolean): typeof answered => {
    const { response } = exchange;
    setCommonHeaders(exchange);
    if (isReadable) {
      response.setHeader('Access-Control-Allow-Methods', methods);
      response.setHeader('Access-Control-Allow-Headers', TAKEN);
      response.setHeader('Access-Control-Max-Age', `${PREFLIGHT_SECONDS}`);
    }
    response.writeHead(204).end();
    return answered;
  };

  return {
    preflight(exchange) {
      const { family, request, target } = exchange;
      if (family !== 'A' || !isPreflight(request) || isPage(target.path)) return undefined;
      const methods = methodsAt(exchange);
      const readable = decide(exchange);
      return typeof readable === 'boolean'
        ? answer(exchange, methods, readable)
        : readable.then((found) => answer(exchange, methods, found));
    },
    allow(exchange) {
      const { family, target } = exchange;
      if (family !== 'A' || isPage(target.path)) return undefined;
      const readable = decide(exchange);
      return typeof readable === 'boolean' ? undefined : readable.then(() => undefined);
    },
  };
};
