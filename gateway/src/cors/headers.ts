import type { IncomingMessage } from 'node:http';

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

/** The value of `Access-Control-Expose-Headers`. */
export const EXPOSED = EXPOSED_HEADERS.join(', ');

/** How long browsers cache a preflight response. Seconds. */
export const PREFLIGHT_SECONDS = 600;

/** Whether the request is a browser's preflight. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
