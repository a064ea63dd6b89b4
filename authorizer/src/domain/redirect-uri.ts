/** Redirect URIs and origins of a client (RFC 6749, 3.1.2; RFC 8252, 7; RFC 9700, 2.1). */

/** Longest redirect URI or origin. */
export const LONGEST_URI = 2_000;

/** Visible ASCII, without those characters that parsers read differently or that a URI cannot contain (RFC 3986, 2). */
const URI_CHARACTERS = /^[\x21-\x7e]+$/;
const NEVER = /["<>\\^`{|}#]/;

/** An http URI of a loopback host, split at its port; userinfo cannot match (RFC 8252, 7.3). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/;

/** A private-use scheme: a reversed domain name, so with a dot (RFC 8252, 7.1; RFC 3986, 3.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/;

/** A name or an IPv6 address, as `URL` writes them: nothing that has a meaning in a Content-Security-Policy. */
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:]+\])$/;

const parsedOf = (uri: string): URL | undefined => (URL.canParse(uri) ? new URL(uri) : undefined);

const loopbackOf = (uri: string): { readonly host: string; readonly rest: string } | undefined => {
  const [matches, host = '', port, rest = ''] = LOOPBACK.exec(uri) ?? [];
  if (matches === undefined || (port !== undefined && (Number(port) === 0 || Number(port) > 65_535))) return undefined;
  return { host, rest };
};

/** Why a client cannot register this redirect URI; undefined if it can. */
export const redirectUriProblem = (uri: string, type: 'confidential' | 'public'): string | undefined => {
  if (uri.length > LONGEST_URI) return `is longer than ${LONGEST_URI} characters`;
  if (uri.includes('#')) return 'has a fragment';
  const parsed = parsedOf(uri);
  if (!URI_CHARACTERS.test(uri) || NEVER.test(uri) || !parsed) return 'is not an absolute URI';
  if (parsed.username !== '' || parsed.password !== '' || /^[a-z]+:\/\/[^/?]*@/i.test(uri)) return 'has userinfo';
  if (uri.startsWith('https://') && !HOST.test(parsed.hostname)) return 'has a host that is no name and no address';
  if (uri.startsWith('https://') || loopbackOf(uri)) return undefined;
  if (PRIVATE_USE.test(uri)) {
    return type === 'public' ? undefined : 'has a private-use scheme, which only a public client may have';
  }
  return 'must be https, or http to 127.0.0.1, [::1] or localhost, or of a public client a private-use scheme with a dot';
};

/** Why a client cannot register this origin; undefined if it can: https, or http of a loopback host. */
export const originProblem = (origin: string): string | undefined => {
  const parsed = parsedOf(origin);
  if (!parsed || parsed.origin !== origin || !HOST.test(parsed.hostname) || origin.length > LONGEST_URI)
    return 'is not an origin, such as https://www.example.org';
  return origin.startsWith('https://') || loopbackOf(origin)
    ? undefined
    : 'must be https, or http to 127.0.0.1, [::1] or localhost';
};

/**
 * Whether a request's redirect URI is a registered one: equal to the letter, except that any port of a loopback host
 * matches (RFC 8252, 7.3). Nothing is decoded or normalised first.
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean => {
  if (registered.includes(uri)) return true;
  const own = loopbackOf(uri);
  return (
    own !== undefined &&
    registered.some((one) => {
      const known = loopbackOf(one);
      return known !== undefined && known.host === own.host && known.rest === own.rest;
    })
  );
};

/** Whether another application of the same device could receive what is sent there (RFC 8252, 8.6; RFC 9700, 4.14). */
export const isClaimable = (uri: string): boolean => !uri.startsWith('https://');

/** The redirect URI with these parameters added to its query; absent ones are left out (RFC 6749, 4.1.2). */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const added = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
  if (added === '') return uri;
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${separator}${added}`;
};
