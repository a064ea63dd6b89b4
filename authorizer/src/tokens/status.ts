import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, type CallerUser, type KeySet, verifyAccessToken } from '@boxoffice/identity';
import type { ClientDirectory } from '../clients/directory.ts';
import type { Bounds } from '../domain/client.ts';
import { holdsSecret } from '../domain/client.ts';
import { grantable, readScopes, remaining } from '../domain/scopes.ts';
import type { Account, Accounts } from '../users/accounts.ts';
import { originOf } from './access-token.ts';
import type { Grants } from './grants.ts';
import type { Revocations } from './revocations.ts';
import { isUsable } from './user-tokens.ts';

/** An access token that is valid now. */
export interface ActiveToken {
  readonly active: true;
  readonly claims: AccessClaims;
  /** The token's scopes that its client, and its user's role, still hold. */
  readonly scopes: readonly string[];
  /** The user as it is now, which may have changed since the token was issued; null for a client's own token. */
  readonly user: CallerUser | null;
  /** The bounds that its client has now. */
  readonly bounds: Bounds | null;
}

/** An access token that is not valid any more, although it has not expired. */
interface InactiveToken {
  readonly active: false;
  readonly reason: 'it was revoked' | 'its client was deleted' | 'its secret was withdrawn' | 'its user was signed out';
}

interface TokenStatusDependencies {
  readonly keySet: KeySet;
  readonly issuer: string;
  readonly clients: Pick<ClientDirectory, 'current'>;
  readonly accounts: Pick<Accounts, 'current'>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly grants: Pick<Grants, 'get'>;
  readonly now: () => number;
}

/** For `catch`: an invalid token becomes undefined; any other error is rethrown. */
export const undefinedIfInvalid = (error: unknown): undefined => {
  if (error instanceof Fault && error.code === 'unauthorized') return undefined;
  throw error;
};

const callerOf = ({ id, role, contact, pointsOfSale }: Account): CallerUser => ({ id, role, contact, pointsOfSale });

export type TokenStatus = ReturnType<typeof createTokenStatus>;

/** Creates the check whether a token is valid, the only one in this service. */
export const createTokenStatus = (dependencies: TokenStatusDependencies) => {
  const { keySet, issuer, clients, accounts, revocations, grants, now } = dependencies;
  return {
    /** Verifies that this installation signed the token and that it has not expired; rejects with Fault `unauthorized`. */
    verify: verifyAccessToken({ keys: keySet, issuer, now }),
    /** Reads the store at each call: revocation, the client's scopes and bounds, the secret that obtained the token, and the user. */
    check: async (claims: AccessClaims): Promise<ActiveToken | InactiveToken> => {
      const isUsers = claims.role !== undefined;
      const { grantId, secretId } = originOf(claims);
      const [revoked, client, account, grant] = await Promise.all([
        revocations.isRevoked(claims.institution, claims.jti),
        clients.current(claims.client_id),
        isUsers ? accounts.current(claims.institution, claims.sub) : undefined,
        grantId === undefined ? undefined : grants.get(claims.institution, grantId),
      ]);
      if (revoked) return { active: false, reason: 'it was revoked' };
      if (!client || client.institution !== claims.institution)
        return { active: false, reason: 'its client was deleted' };
      if (secretId === undefined ? !isUsers : !holdsSecret(client, secretId))
        return { active: false, reason: 'its secret was withdrawn' };
      const { bounds } = client;
      if (isUsers) {
        if (!account || !isUsable(grant, account, client)) return { active: false, reason: 'its user was signed out' };
        const scopes = grantable(readScopes(claims.scope), client.scopes, account.scopes);
        return { active: true, claims, scopes, user: callerOf(account), bounds };
      }
      return { active: true, claims, scopes: remaining(readScopes(claims.scope), client.scopes), user: null, bounds };
    },
  };
};
