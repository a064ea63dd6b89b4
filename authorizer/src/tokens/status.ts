import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, type KeySet, verifyAccessToken } from '@boxoffice/identity';
import type { ClientDirectory } from '../clients/directory.ts';
import { readScopes, remaining } from '../domain/scopes.ts';
import { secretIdOf } from './claims.ts';
import type { Revocations } from './revocations.ts';

/** An access token that is valid now. */
export interface ActiveToken {
  readonly claims: AccessClaims;
  /** The token's scopes that its client still holds. */
  readonly scopes: readonly string[];
}

/** Why a token is not valid any more. */
export type InactiveReason = 'it was revoked' | 'its client was deleted' | 'its secret was withdrawn';

export interface TokenStatus {
  /**
   * Verifies that this installation signed the token and that it has not expired; rejects with Fault `unauthorized`
   * otherwise.
   */
  claims(token: string): Promise<AccessClaims>;
  /** Checks the store at each call: revocation, the client's scopes, and the secret that obtained the token. */
  active(claims: AccessClaims): Promise<ActiveToken | InactiveReason>;
}

export interface TokenStatusDependencies {
  readonly keySet: KeySet;
  readonly issuer: string;
  readonly clients: Pick<ClientDirectory, 'current'>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly now: () => number;
}

/** For `catch`: an invalid token becomes undefined; any other error is rethrown. */
export const unknownToken = (error: unknown): undefined => {
  if (error instanceof Fault && error.code === 'unauthorized') return undefined;
  throw error;
};

/** Makes the check whether a token is valid, the only one in this service. */
export const createTokenStatus = (dependencies: TokenStatusDependencies): TokenStatus => {
  const { keySet, issuer, clients, revocations, now } = dependencies;
  return {
    claims: verifyAccessToken({ keys: keySet, issuer, now }),
    active: async (claims) => {
      const [revoked, client] = await Promise.all([
        revocations.isRevoked(claims.institution, claims.jti),
        clients.current(claims.client_id),
      ]);
      if (revoked) return 'it was revoked';
      if (!client || client.institution !== claims.institution) return 'its client was deleted';
      const secretId = secretIdOf(claims.jti);
      if (!client.secrets.some(({ id }) => id === secretId)) return 'its secret was withdrawn';
      return { claims, scopes: remaining(readScopes(claims.scope), client.scopes) };
    },
  };
};
