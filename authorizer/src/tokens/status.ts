import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, type CallerUser, type KeySet, verifyAccessToken } from '@boxoffice/identity';
import type { ClientDirectory } from '../clients/directory.ts';
import { readScopes, remaining } from '../domain/scopes.ts';
import { type Account, type Accounts, isSignedIn } from '../users/accounts.ts';
import { secretIdOf } from './claims.ts';
import type { Revocations } from './revocations.ts';

/** An access token that is valid now. */
export interface ActiveToken {
  readonly active: true;
  readonly claims: AccessClaims;
  /** The token's scopes that its client, and its user's role, still hold. */
  readonly scopes: readonly string[];
  /** The user as it is now, which may have changed since the token was issued; null for a client's own token. */
  readonly user: CallerUser | null;
}

/** An access token that is not valid any more, although it has not expired. */
export interface InactiveToken {
  readonly active: false;
  readonly reason: 'it was revoked' | 'its client was deleted' | 'its secret was withdrawn' | 'its user was signed out';
}

export interface TokenStatus {
  /**
   * Verifies that this installation signed the token and that it has not expired; rejects with Fault `unauthorized`
   * otherwise.
   */
  verify(token: string): Promise<AccessClaims>;
  /**
   * Reads the store at each call: revocation, the client's scopes, and the user, or the secret that obtained the token.
   */
  check(claims: AccessClaims): Promise<ActiveToken | InactiveToken>;
}

export interface TokenStatusDependencies {
  readonly keySet: KeySet;
  readonly issuer: string;
  readonly clients: Pick<ClientDirectory, 'current'>;
  readonly accounts: Pick<Accounts, 'current'>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly now: () => number;
}

/** For `catch`: an invalid token becomes undefined; any other error is rethrown. */
export const undefinedIfInvalid = (error: unknown): undefined => {
  if (error instanceof Fault && error.code === 'unauthorized') return undefined;
  throw error;
};

const callerOf = ({ id, role, contact, pointsOfSale }: Account): CallerUser => ({ id, role, contact, pointsOfSale });

/** Whether the sign-in that a token goes back to still counts. The claim is in whole seconds, rounded down. */
const isStillSignedIn = (account: Account, { auth_time = 0 }: AccessClaims): boolean =>
  isSignedIn(account, auth_time * 1_000 + 999);

/** Creates the check whether a token is valid, the only one in this service. */
export const createTokenStatus = (dependencies: TokenStatusDependencies): TokenStatus => {
  const { keySet, issuer, clients, accounts, revocations, now } = dependencies;
  return {
    verify: verifyAccessToken({ keys: keySet, issuer, now }),
    check: async (claims) => {
      const [revoked, client, account] = await Promise.all([
        revocations.isRevoked(claims.institution, claims.jti),
        clients.current(claims.client_id),
        claims.role === undefined ? undefined : accounts.current(claims.institution, claims.sub),
      ]);
      if (revoked) return { active: false, reason: 'it was revoked' };
      if (!client || client.institution !== claims.institution)
        return { active: false, reason: 'its client was deleted' };
      const held = remaining(readScopes(claims.scope), client.scopes);
      if (claims.role !== undefined) {
        if (!account || !isStillSignedIn(account, claims)) return { active: false, reason: 'its user was signed out' };
        return { active: true, claims, scopes: remaining(held, account.scopes), user: callerOf(account) };
      }
      const secretId = secretIdOf(claims.jti);
      if (!client.secrets.some(({ id }) => id === secretId))
        return { active: false, reason: 'its secret was withdrawn' };
      return { active: true, claims, scopes: held, user: null };
    },
  };
};
