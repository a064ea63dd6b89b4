import { hash, type KeyObject } from 'node:crypto';
import { ACCESS_TYPE, signJws } from '@boxoffice/identity';

/** What to sign for one request, as JSON: the claims of its access token, and those of an ID token without `at_hash`. */
export type ClaimsToSign = readonly [access: string, id?: string];

/** The tokens of one request: access token and, if there were claims for one, ID token. */
export type SignedTokens = readonly [access: string, id?: string];

/** The left half of the access token's hash (OpenID Connect Core, 3.1.3.6). */
const halfHash = (accessToken: string): string =>
  hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');

/** Signs the claims of an access token, given as JSON (RFC 9068, 2). */
export const signAccessToken = (claims: string, kid: string, key: KeyObject): string =>
  signJws(claims, { type: ACCESS_TYPE, kid }, key);

/** Signs the access token of a request, and the ID token that belongs to it. */
export const signTokens = ([access, id]: ClaimsToSign, kid: string, key: KeyObject): SignedTokens => {
  const accessToken = signAccessToken(access, kid, key);
  if (id === undefined) return [accessToken];
  const claims = JSON.stringify({ ...JSON.parse(id), at_hash: halfHash(accessToken) });
  return [accessToken, signJws(claims, { type: 'JWT', kid }, key)];
};
