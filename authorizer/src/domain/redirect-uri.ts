/** Redirect URIs of a client (RFC 6749, 3.1.2; RFC 8252, 7; RFC 9700, 2.1). */

/** Longest redirect URI. */
export const LONGEST_URI = 2_000;

/** An http URI of a loopback host, split at its port; userinfo cannot match (RFC 8252, 7.3). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/;

const loopbackOf = (uri: string): { readonly host: string; readonly rest: string } | undefined => {
  const [matches, host = '', port, rest = ''] = LOOPBACK.exec(uri) ?? [];
  if (matches === undefined || (port !== undefined && (Number(port) === 0 || Number(port) > 65_535))) return undefined;
  return { host, rest };
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
