import { Fault } from '@boxoffice/envelope';
import { createNoSuchEndpointFault, type Family } from './faults.ts';

export interface Target {
  /** It starts with a slash. */
  readonly path: string;
  /** It includes the question mark; empty without a query. */
  readonly query: string;
}

/** Matches canonical paths: no escapes, no empty and no dot segment. */
const PLAIN = /^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9\-._~!$&'()*+,;=:@]+)+$/;

/** RFC 3986, 3.3 and 3.4. */
const PATH = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const QUERY = /^(?:\?[\x21\x22\x24-\x7e]*)?$/;

/** encodeURIComponent escapes these, a path segment does not need it. */
const NEEDLESS = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

const CONTROL = /\p{Cc}/u;

/**
 * Routes, limits and services use only the result. `mayEndWithSlash`: which canonical paths may. @throws {Fault}
 * bad_request when it is malformed, not_found when no endpoint can have this path
 */
export function readTarget(url: string, mayEndWithSlash: (path: string) => boolean): Target {
  // `OPTIONS *` concerns the server itself; nothing is offered for it.
  if (!url.startsWith('/')) throw url === '*' ? createNoSuchEndpointFault() : createMalformedFault();
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark);
  if (!QUERY.test(query)) throw createMalformedFault();
  if (PLAIN.test(path)) return { path, query };
  const ended = path.endsWith('/') && path !== '/' ? addSlash(path) : undefined;
  return { path: ended !== undefined && mayEndWithSlash(ended) ? ended : toCanonicalPath(path), query };
}

const createMalformedFault = (): Fault => new Fault('bad_request', 'The path is not well-formed.');

/** Some paths may have a slash at their end. */
const addSlash = (path: string): string => (path.length > 1 ? `${toCanonicalPath(path.slice(0, -1))}/` : path);

const toCanonicalPath = (path: string): string => {
  if (path === '/') return path;
  if (!PATH.test(path)) throw createMalformedFault();
  return `/${path.slice(1).split('/').map(toCanonicalSegment).join('/')}`;
};

const toCanonicalSegment = (segment: string): string => {
  const decoded = decodeSegment(segment);
  if (CONTROL.test(decoded) || decoded.includes('\\')) throw createMalformedFault();
  // Empty, dot and encoded-slash segments belong to no endpoint and must not reach one.
  if (decoded === '' || decoded === '.' || decoded === '..' || decoded.includes('/')) throw createNoSuchEndpointFault();
  return encodeURIComponent(decoded).replace(NEEDLESS, decodeURIComponent);
};

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    // The escape is not UTF-8.
    throw createMalformedFault();
  }
};

const POINT_OF_SALE = /^(?:https?:\/\/[^/?#]*)?\/+tnwr(?:[/?#]|$)/i;

/** Reads the raw request target, which may be malformed. */
export function toFamily(url: string | undefined): Family {
  return POINT_OF_SALE.test(url ?? '') ? 'B' : 'A';
}
