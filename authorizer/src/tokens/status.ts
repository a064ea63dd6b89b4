import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, type KeySet, verifyAccessToken } from '@boxoffice/identity';
import type { ClientDirectory } from '../clients/directory.ts';
import { readScopes, remaining } from '../domain/scopes.ts';
import { secretIdOf } from './claims.ts';
import type { Revocations } from './revocations.ts';

/** An access token that counts now. */
export interface ActiveToken {
  readonly claims: AccessClaims;
  /** The token's scopes that its client still has. */
  readonly scopes: readonly string[];
}

/** Why a token counts no more. */
export type InactiveReason = 'it was revoked' | 'its client is gone' | 'its secret was withdrawn';

export interface TokenStatus {
  /** The claims of a token that this installation signed and that has not expired; rejects with Fault `unauthorized` for any other. */
  claims(token: string): Promise<AccessClaims>;
  /** What counts of it now, asked of the store at each call: whether it was revoked, and what its client still has, scopes and the secret. */
  active(claims: AccessClaims): Promise<ActiveToken | InactiveReason>;
}

export interface TokenStatusDependencies {
  readonly keySet: KeySet;
  readonly issuer: string;
  readonly clients: Pick<ClientDirectory, 'current'>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly now: () => number;
}

/** For `catch`: a token that is refused as invalid is an unknown token; other trouble stays trouble. */
export const unknownToken = (error: unknown): undefined => {
  if (error instanceof Fault && error.code === 'unauthorized') return undefined;
  throw error;
};

/** Makes the one place that knows whether a token counts. */
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
      if (!client || client.institution !== claims.institution) return 'its client is gone';
      const secretId = secretIdOf(claims.jti);
      if (!client.secrets.some(({ id }) => id === secretId)) return 'its secret was withdrawn';
      return { claims, scopes: remaining(readScopes(claims.scope), client.scopes) };
    },
  };
};
