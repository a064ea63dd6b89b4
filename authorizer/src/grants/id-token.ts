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
  /** Epoch seconds. */
  readonly authTime: number;
  /** Seconds. */
  readonly lifetime: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The claims of an ID token (OpenID Connect Core, 2) but for `at_hash`, which follows from the access token. */
export const idTokenClaims = (issue: IdTokenIssue) => {
  const issuedAt = Math.floor(issue.now / 1000);
  return {
    iss: issue.issuer,
    ...userClaims(issue.account, issue.scopes),
    aud: issue.clientId,
    iat: issuedAt,
    exp: issuedAt + issue.lifetime,
    auth_time: issue.authTime,
    // OpenID Connect Front-Channel Logout 1.0, 3: by it the client's ID token names the session to end.
    sid: issue.sessionId,
    ...(issue.nonce === null ? {} : { nonce: issue.nonce }),
  };
};
