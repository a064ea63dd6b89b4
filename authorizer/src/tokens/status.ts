import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, type KeySet, verifyAccessToken } from '@boxoffice/identity';
import type { ClientDirectory } from '../clients/directory.ts';
import { readScopes, remaining } from '../domain/scopes.ts';
import { secretIdOf } from './claims.ts';
import type { Revocations } from './revocations.ts';

/** An access token that is valid now. */
export interface ActiveToken {
  readonly active: true;
  readonly claims: AccessClaims;
  /** The token's scopes that its client still holds. */
  readonly scopes: readonly string[];
}

/** An access token that is not valid any more, although it has not expired. */
export interface InactiveToken {
  readonly active: false;
  readonly reason: 'it was revoked' | 'its client was deleted' | 'its secret was withdrawn';
}

export interface TokenStatus {
  /**
   * Verifies that this installation signed the token and that it has not expired; rejects with Fault `unauthorized`
   * otherwise.
   */
  verify(token: string): Promise<AccessClaims>;
  /** Reads the store at each call: revocation, the client's scopes, and the secret that obtained the token. */
  check(claims: AccessClaims): Promise<ActiveToken | InactiveToken>;
}

export interface TokenStatusDependencies {
  readonly keySet: KeySet;
  readonly issuer: string;
  readonly clients: Pick<ClientDirectory, 'current'>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly now: () => number;
}

/** For `catch`: an invalid token becomes undefined; any other error is rethrown. */
export const undefinedIfInvalid = (error: unknown): undefined => {
  if (error instanceof Fault && error.code === 'unauthorized') return undefined;
  throw error;
};

/** Creates the check whether a token is valid, the only one in this service. */
export const createTokenStatus = (dependencies: TokenStatusDependencies): TokenStatus => {
  const { keySet, issuer, clients, revocations, now } = dependencies;
  return {
    verify: verifyAccessToken({ keys: keySet, issuer, now }),
    check: async (claims) => {
      const [revoked, client] = await Promise.all([
        revocations.isRevoked(claims.institution, claims.jti),
        clients.current(claims.client_id),
      ]);
      if (revoked) return { active: false, reason: 'it was revoked' };
      if (!client || client.institution !== claims.institution)
        return { active: false, reason: 'its client was deleted' };
      const secretId = secretIdOf(claims.jti);
      if (!client.secrets.some(({ id }) => id === secretId))
        return { active: false, reason: 'its secret was withdrawn' };
      return { active: true, claims, scopes: remaining(readScopes(claims.scope), client.scopes) };
    },
  };
};
