import { insufficientScope } from '@boxoffice/http';
import { IDENTITY_LIFETIME_SECONDS, invalidToken, type SigningKey, signIdentity } from '@boxoffice/identity';
import { lacking, readScopes } from '../domain/scopes.ts';
import type { TokenStatus } from '../tokens/status.ts';

/** What the gateway asks: may the bearer of this token do that there? */
export interface DecisionRequest {
  readonly token: string;
  /** The operation's id and the scopes that it needs, between spaces, as the service describes them. */
  readonly operation: string;
  readonly scope: string;
  /** The service that the call goes to. */
  readonly audience: string;
}

/** Yes, as a signed identity for the service. */
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
 * Makes the decision that every call through the gateway needs: the token is verified and looked up again, its secret must still
 * be its client's, and its scopes are those that the client still has. Rejects with Fault `unauthorized` or `forbidden`, which the gateway relays as it is.
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
