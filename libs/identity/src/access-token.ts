import { Fault } from '@boxoffice/envelope';
import { ACCESS_TYPE } from './caller.ts';
import type { KeySet } from './key-set.ts';
import { createTokenVerifier } from './signed-token.ts';

/** The claims of an access token (RFC 9068, 2.2). Times are epoch seconds. */
export interface AccessClaims {
  readonly iss: string;
  readonly aud: string;
  /** The same as client_id: no flow identifies a person yet. */
  readonly sub: string;
  readonly client_id: string;
  readonly institution: string;
  /** Space separated (RFC 6749, 3.3); empty for a client without scopes. */
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
}

export interface AccessTokenOptions {
  readonly keys: KeySet;
  /** The installation's public address: `iss` and `aud` of every access token. */
  readonly issuer: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** The 401 of a bearer token that is not valid (RFC 6750, 3.1). */
export const invalidToken = (reason: string): Fault =>
  new Fault('unauthorized', `The access token is not valid: ${reason}.`, {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });

const readClaims = (payload: Readonly<Record<string, unknown>>): AccessClaims | undefined => {
  const texts = [payload.sub, payload.client_id, payload.institution, payload.scope, payload.jti];
  const complete = texts.every((text) => typeof text === 'string') && typeof payload.iat === 'number';
  return complete ? (payload as unknown as AccessClaims) : undefined;
};

/**
 * Creates the check of access tokens: signature, type, issuer, audience and expiry. Revocation and scopes are not
 * checked here. The check rejects with Fault `unauthorized`, or `service_unavailable` without keys.
 */
export const verifyAccessToken = (options: AccessTokenOptions): ((token: string) => Promise<AccessClaims>) =>
  createTokenVerifier({
    keys: options.keys,
    type: ACCESS_TYPE,
    issuer: options.issuer,
    audience: options.issuer,
    read: readClaims,
    refuse: invalidToken,
    now: options.now ?? Date.now,
  });
