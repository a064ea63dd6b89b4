import { Fault } from '@boxoffice/envelope';
import { services } from '../services.ts';

/** What a request asks for, in the one spelling that routes are matched by and services see. */
export interface Target {
  /** Starts with a slash. */
  readonly path: string;
  /** With its question mark; empty without a query. */
  readonly query: string;
}

export type Family = 'A' | 'B';

/** A path that is canonical as it stands: no escapes, no empty segment, no dot segment. Nearly every request's. */
const PLAIN = /^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9\-._~!$&'()*+,;=:@]+)+$/;

/** RFC 3986, 3.3 and 3.4; what else a request line can hold is left to nobody's interpretation. */
const PATH = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const QUERY = /^(?:\?[\x21\x22\x24-\x7e]*)?$/;

/** What encodeURIComponent escapes although a path may have it as it is. */
const NEEDLESS = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** Web pages have a root, which is the one kind of path that ends with a slash. */
const PAGE_ROOTS: ReadonlySet<string> = new Set(
  Object.values(services).flatMap(({ pages }) => pages.map((prefix) => `${prefix}/`)),
);

const CONTROL = /\p{Cc}/u;

const malformed = (): Fault => new Fault('bad_request', 'The path is not well-formed.');
const nothing = (): Fault => new Fault('not_found', 'There is no such endpoint.');

/** One segment, its escapes resolved once and written again in one way. */
const canonicalSegment = (segment: string): string => {
  const decoded = decodedSegment(segment);
  if (CONTROL.test(decoded) || decoded.includes('\\')) throw malformed();
  // Empty, a dot segment or a slash in disguise: no endpoint is spelt like that, and none may be reached by it.
  if (decoded === '' || decoded === '.' || decoded === '..' || decoded.includes('/')) throw nothing();
  return encodeURIComponent(decoded).replace(NEEDLESS, decodeURIComponent);
};

const decodedSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    // An escape that is no UTF-8.
    throw malformed();
  }
};

const canonicalPath = (path: string): string => {
  if (path === '/') return path;
  if (!PATH.test(path)) throw malformed();
  return `/${path.slice(1).split('/').map(canonicalSegment).join('/')}`;
};

/** The origin form of a request target that came in absolute form (RFC 9112, 3.2.2). */
const originForm = (url: string): string => {
  const rest = url.replace(ABSOLUTE, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
};

/**
 * Reads the target of a request line, once for everybody: routes, limits and services go by what this gives and never by the raw text.
 * @throws {Fault} bad_request when it is malformed, not_found when it is spelt like no endpoint
 */
export const readTarget = (url: string): Target => {
  const origin = url.startsWith('/') ? url : ABSOLUTE.test(url) ? originForm(url) : undefined;
  // `OPTIONS *` asks about the server itself, of which there is nothing to say.
  if (origin === undefined) throw url === '*' ? nothing() : malformed();
  const mark = origin.indexOf('?');
  const path = mark < 0 ? origin : origin.slice(0, mark);
  const query = mark < 0 ? '' : origin.slice(mark);
  if (!QUERY.test(query)) throw malformed();
  return { path: PLAIN.test(path) || PAGE_ROOTS.has(path) ? path : canonicalPath(path), query };
};

const POINT_OF_SALE = /^(?:https?:\/\/[^/?#]*)?\/+tnwr(?:[/?#]|$)/i;

/** The family whose error shape a request gets, told from the raw request line, which may be unreadable otherwise. */
export const familyOf = (url: string | undefined): Family => (POINT_OF_SALE.test(url ?? '') ? 'B' : 'A');
