import { insufficientScope } from '@boxoffice/http';
import { IDENTITY_LIFETIME_SECONDS, invalidToken, type SigningKey, signIdentity } from '@boxoffice/identity';
import { lacking, readScopes } from '../domain/scopes.ts';
import type { TokenStatus } from '../tokens/status.ts';

/** The gateway's decision request: may the bearer of this token call this operation? */
export interface DecisionRequest {
  readonly token: string;
  /** The operation's id and its required scopes, separated by spaces. */
  readonly operation: string;
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
 * Makes the decision that every call through the gateway needs: verifies the token, then checks its revocation, its
 * secret and its client's current scopes. Rejects with Fault `unauthorized` or `forbidden`, which the gateway relays.
 */
export const createDecide =
  ({ tokens, signingKey, now }: DecisionDependencies) =>
  async ({ token, operation, scope, audience }: DecisionRequest): Promise<Decision> => {
    const claims = await tokens.claims(token);
    const active = await tokens.active(claims);
    if (typeof active === 'string') throw invalidToken(active);
    const missing = lacking(readScopes(scope), active.scopes);
    if (missing.length > 0) {
      const named = missing.join(' and ');
      throw insufficientScope(`This operation needs the scope ${named}, which the token does not have.`, missing);
    }
    const issuedAt = Math.floor(now() / 1000);
    const lifetime = Math.min(IDENTITY_LIFETIME_SECONDS, claims.exp - issuedAt);
    const caller = {
      institution: claims.institution,
      client: claims.client_id,
      service: null,
      scopes: active.scopes,
      operation,
    };
    return {
      identity: signIdentity(signingKey(), { audience, caller, issuedAt, lifetime }),
      expiresAt: new Date((issuedAt + lifetime) * 1000).toISOString(),
    };
  };
