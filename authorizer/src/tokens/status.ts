import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, type CallerUser, createAccessTokenVerifier, type KeySet } from '@boxoffice/identity';
import { createQuiet, insertUnlessTaken, type Store } from '@boxoffice/store';
import {
  type Authenticate,
  type ClientDirectory,
  type Form,
  type IdentifyClient,
  isBasic,
  requireFields,
} from '../clients/authentication.ts';
import { type Bounds, type Client, hasSecret } from '../domain/client.ts';
import { isLive } from '../domain/grant.ts';
import { readScopes, selectGrantableScopes, selectHeldScopes, writeScopes } from '../domain/scopes.ts';
import { type ClientDocument, clientsCollection, type GrantDocument, revocationsCollection } from '../store.ts';
import { type Account, type Accounts, isSignedIn } from '../users/accounts.ts';
import { OAuthFault } from './endpoints.ts';
import type { Grants } from './grants.ts';
import { parseTokenOrigin } from './issue.ts';

/** How far results reach back before `since`, because instances write with their own clocks. */
const OVERLAP_MS = 30_000;

export type Revocations = ReturnType<typeof createRevocations>;

export function createRevocations(store: Store, now = Date.now) {
  const revocations = store.collection(revocationsCollection);
  const quietMs = createQuiet(store);
  return {
    /** Revokes the token until it expires. Repeating it is no error. */
    revoke: async ({ jti, exp, client_id: clientId, institution }: AccessClaims): Promise<void> => {
      await insertUnlessTaken(revocations.of(institution), {
        id: jti,
        clientId,
        revokedAt: now(),
        expiresAt: exp * 1000,
      });
    },
    isRevoked: async (institution: string, jti: string) => (await revocations.of(institution).get(jti)) !== undefined,
    /** Without `since` every unexpired revocation and no client. `asOf` is the `since` of the next request. */
    since: async (since: Date | undefined) => {
      const asOf = iso(now());
      const from = since && since.getTime() - OVERLAP_MS;
      if (from !== undefined && quietMs() > now() - from) return { tokens: [], clients: [], asOf };
      const revoked = revocations.acrossInstitutions.find(
        from === undefined
          ? { where: { expiresAt: { gt: now() } }, orderBy: 'expiresAt' }
          : { where: { revokedAt: { gte: from } }, orderBy: 'revokedAt' },
      );
      const changed =
        from === undefined
          ? []
          : store
              .collection(clientsCollection)
              .acrossInstitutions.find({ where: { changedAt: { gte: from } }, orderBy: 'changedAt' });
      // Started together, so that a failing store causes one rejection, and a handled one.
      const [tokens, clients] = await Promise.all([revoked, changed]);
      return {
        tokens: tokens.map(({ id, expiresAt }) => ({ jti: id, expiresAt: iso(expiresAt) })),
        clients: clients.map(({ id, changedAt }) => ({ clientId: id, changedAt: iso(changedAt) })),
        asOf,
      };
    },
  };
}

const iso = (at: number): string => new Date(at).toISOString();

interface ActiveToken {
  readonly active: true;
  readonly claims: AccessClaims;
  readonly scopes: readonly string[];
  /** The user as it is now, which may have changed since the token was issued; null for a client's own token. */
  readonly user: CallerUser | null;
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

export type TokenStatus = ReturnType<typeof createTokenStatus>;

export function createTokenStatus(dependencies: TokenStatusDependencies) {
  const { keySet, issuer, clients, accounts, revocations, grants, now } = dependencies;
  return {
    /** That this installation signed it, and that it has not expired; rejects with Fault `unauthorized`. */
    verify: createAccessTokenVerifier({ keys: keySet, issuer, now }),
    /** Reads the store at each call: revocation, the client's scopes and bounds, the secret, and the user. */
    check: async (claims: AccessClaims): Promise<ActiveToken | InactiveToken> => {
      const isUsers = claims.role !== undefined;
      const { grantId, secretId } = parseTokenOrigin(claims);
      const [revoked, client, account, grant] = await Promise.all([
        revocations.isRevoked(claims.institution, claims.jti),
        clients.current(claims.client_id),
        isUsers ? accounts.current(claims.institution, claims.sub) : undefined,
        grantId === undefined ? undefined : grants.get(claims.institution, grantId),
      ]);
      if (revoked) return { active: false, reason: 'it was revoked' };
      if (!client || client.institution !== claims.institution)
        return { active: false, reason: 'its client was deleted' };
      if (secretId === undefined ? !isUsers : !hasSecret(client, secretId))
        return { active: false, reason: 'its secret was withdrawn' };
      const { bounds } = client;
      if (isUsers) {
        if (!account || !isUsable(grant, account, client)) return { active: false, reason: 'its user was signed out' };
        const scopes = selectGrantableScopes(readScopes(claims.scope), client.scopes, account.scopes);
        return { active: true, claims, scopes, user: toCallerUser(account), bounds };
      }
      return {
        active: true,
        claims,
        scopes: selectHeldScopes(readScopes(claims.scope), client.scopes),
        user: null,
        bounds,
      };
    },
  };
}

const isUsable = (
  grant: GrantDocument | undefined,
  account: Account | undefined,
  client: Pick<Client, 'secrets'> & Pick<ClientDocument, 'id'>,
): boolean =>
  grant !== undefined &&
  account !== undefined &&
  isLive(grant) &&
  grant.clientId === client.id &&
  (grant.secretId === null || hasSecret(client, grant.secretId)) &&
  grant.userId === account.id &&
  isSignedIn(account, grant.signedInAt);

const toCallerUser = ({ id, role, contact, pointsOfSale }: Account): CallerUser => ({
  id,
  role,
  contact,
  pointsOfSale,
});

/** The form of introspection and revocation. `token_type_hint` is ignored: there is one type of token. */
type TokenLookupForm = Form<'token' | 'client_id' | 'client_secret'>;

interface TokenLookupDependencies {
  readonly authenticate: Authenticate;
  readonly tokens: TokenStatus;
}

/** RFC 7662. A token of another institution is like one that never existed: `active: false` and no other member. */
export function createIntrospect({ authenticate, tokens }: TokenLookupDependencies) {
  return async (form: TokenLookupForm, authorization: string | undefined) => {
    const { client } = await authenticate(form, authorization);
    const [token = ''] = requireFields(form, ['token']);
    const claims = await tokens.verify(token).catch(ignoreInvalid);
    if (claims?.institution !== client.institution) return { active: false };
    const checked = await tokens.check(claims);
    return checked.active ? describeToken(checked) : { active: false };
  };
}

/** For `catch`: an invalid token becomes undefined; any other error is rethrown. */
const ignoreInvalid = (error: unknown): undefined => {
  if (error instanceof Fault && error.code === 'unauthorized') return undefined;
  throw error;
};

/** The introspection of an active token (RFC 7662, 2.2). */
const describeToken = ({ claims, scopes, user }: ActiveToken) => ({
  active: true,
  scope: writeScopes(scopes),
  client_id: claims.client_id,
  token_type: 'Bearer',
  exp: claims.exp,
  iat: claims.iat,
  sub: claims.sub,
  aud: claims.aud,
  iss: claims.iss,
  jti: claims.jti,
  institution: claims.institution,
  ...(user === null ? {} : { role: user.role, auth_time: claims.auth_time }),
});

interface RevocationDependencies extends TokenLookupDependencies {
  readonly identify: IdentifyClient;
  readonly grants: Pick<Grants, 'ofRefreshToken' | 'end'>;
  readonly revocations: Pick<Revocations, 'revoke'>;
}

/**
 * RFC 7009: an access token alone; a refresh token ends its grant. An unknown or expired one counts as revoked.
 * @throws {OAuthFault} unauthorized_client, from the returned function, if the token was issued to another client
 */
export function createRevoke({ authenticate, identify, tokens, revocations, grants }: RevocationDependencies) {
  return async (form: TokenLookupForm, authorization: string | undefined): Promise<void> => {
    const isPublic = form.client_id !== undefined && form.client_secret === undefined && !isBasic(authorization);
    const { client } = await (isPublic ? identify : authenticate)(form, authorization);
    const [token = ''] = requireFields(form, ['token']);
    const grant = await grants.ofRefreshToken(token);
    if (grant) {
      if (grant.clientId !== client.id) throw createForeignTokenFault();
      await grants.end(grant);
      return;
    }
    const claims = await tokens.verify(token).catch(ignoreInvalid);
    if (claims && claims.client_id !== client.id) throw createForeignTokenFault();
    if (claims) await revocations.revoke(claims);
  };
}

const createForeignTokenFault = (): OAuthFault =>
  new OAuthFault('forbidden', 'unauthorized_client', 'The token was not issued to this client.');
