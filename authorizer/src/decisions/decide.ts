import { insufficientScope } from '@boxoffice/http';
import { IDENTITY_LIFETIME_SECONDS, invalidToken, type SigningKey, signIdentity } from '@boxoffice/identity';
import { lacking, readScopes } from '../domain/scopes.ts';
import type { TokenStatus } from '../tokens/status.ts';

/** The gateway's decision request: may the bearer of this token call this operation? */
export interface DecisionRequest {
  readonly token: string;
  /** The id of the called operation. */
  readonly operation: string;
  /** The scopes that the operation needs, separated by spaces. */
  readonly scope: string;
  /** The called service. */
  readonly audience: string;
}

/** A positive decision: a signed identity for the service. */
export interface Decision {
  readonly identity: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

export interface DecisionDependencies {
  readonly tokens: TokenStatus;
  readonly signingKey: () => SigningKey;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Creates `decide`: verifies the token, then checks that it is not revoked, that the client secret that obtained it
 * still exists, that its user may still sign in, and that client and role hold the scopes. Rejects with Fault
 * `unauthorized` or `forbidden`, which the gateway relays.
 */
export const createDecide =
  ({ tokens, signingKey, now }: DecisionDependencies) =>
  async ({ token, operation, scope, audience }: DecisionRequest): Promise<Decision> => {
    const claims = await tokens.verify(token);
    const checked = await tokens.check(claims);
    if (!checked.active) throw invalidToken(checked.reason);
    const missing = lacking(readScopes(scope), checked.scopes);
    if (missing.length > 0) {
      const named = missing.join(' and ');
      const text = `This operation needs the scope ${named}, which the token does not have or its client or user no longer holds.`;
      throw insufficientScope(text, missing);
    }
    const issuedAt = Math.floor(now() / 1000);
    const lifetime = Math.min(IDENTITY_LIFETIME_SECONDS, claims.exp - issuedAt);
    const caller = {
      institution: claims.institution,
      client: claims.client_id,
      service: null,
      scopes: checked.scopes,
      operation,
      user: checked.user,
    };
    return {
      identity: signIdentity(signingKey(), { audience, caller, issuedAt, lifetime }),
      expiresAt: new Date((issuedAt + lifetime) * 1000).toISOString(),
    };
  };
