import { hash } from 'node:crypto';
import { SIGNATURE_ALGORITHM, type SigningKey } from '@boxoffice/identity';
import jwt from 'jsonwebtoken';
import type { Account } from '../users/accounts.ts';

/** What is known of a user by scope (OpenID Connect Core, 5.4). Addresses are not verified. */
export const userClaims = ({ id, name, login }: Account, scopes: readonly string[]) => ({
  sub: id,
  ...(scopes.includes('profile') ? { name } : {}),
  ...(scopes.includes('email') ? { email: login, email_verified: false } : {}),
});

export interface IdTokenIssue {
  readonly issuer: string;
  readonly clientId: string;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly sessionId: string;
  readonly accessToken: string;
  /** Epoch seconds. */
  readonly authTime: number;
  /** Seconds. */
  readonly lifetime: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The left half of the access token's hash (OpenID Connect Core, 3.1.3.6). */
const halfHash = (accessToken: string): string =>
  hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');

/** Signs an ID token (OpenID Connect Core, 2). */
export const signIdToken = ({ kid, privateKey }: SigningKey, issue: IdTokenIssue): string => {
  const issuedAt = Math.floor(issue.now / 1000);
  const claims = {
    iss: issue.issuer,
    ...userClaims(issue.account, issue.scopes),
    aud: issue.clientId,
    iat: issuedAt,
    exp: issuedAt + issue.lifetime,
    auth_time: issue.authTime,
    // OpenID Connect Front-Channel Logout 1.0, 3: by it the client's ID token names the session to end.
    sid: issue.sessionId,
    ...(issue.nonce === null ? {} : { nonce: issue.nonce }),
    at_hash: halfHash(issue.accessToken),
  };
  return jwt.sign(claims, privateKey, {
    algorithm: SIGNATURE_ALGORITHM,
    header: { alg: SIGNATURE_ALGORITHM, typ: 'JWT', kid },
  });
};
