import {
  type ClientDirectory,
  type IdentifiedClient,
  type IdentifyClient,
  isBasic,
  requireFields,
} from '../clients/authentication.ts';
import type { Client } from '../domain/client.ts';
import { findMissingScopes, isEnough, readScopes, selectGrantableScopes, writeScopes } from '../domain/scopes.ts';
import type { GrantDocument } from '../store.ts';
import { type Account, type Accounts, buildUserClaims, isSignedIn } from '../users/accounts.ts';
import { type IssuedToken, OAuthFault } from './endpoints.ts';
import type { Grants, Use } from './grants.ts';
import { buildAccessClaims, type IssueToken, signAccessToken, signIdToken, type TokenForm } from './issue.ts';
import type { KeyRing } from './signing-keys.ts';

export const grantOutcomes = {
  authorization_code: ['given', 'refused', 'replayed'],
  refresh_token: ['given', 'repeated', 'refused', 'replayed'],
} as const;

export type GrantType = keyof typeof grantOutcomes;

/** What became of a code or a refresh token: `repeated` within ten seconds, `replayed` if its tokens end. */
export type GrantOutcome = (typeof grantOutcomes)[GrantType][number];

interface UserTokenDependencies {
  readonly identify: IdentifyClient;
  readonly clients: Pick<ClientDirectory, 'current' | 'recordUse'>;
  readonly grants: Grants;
  readonly accounts: Pick<Accounts, 'current'>;
  readonly keys: Pick<KeyRing, 'signing'>;
  readonly issuer: string;
  /** Seconds. */
  readonly lifetime: number;
  readonly grantUsed: (grantType: GrantType, outcome: GrantOutcome) => void;
  /** Called for each replay, which has ended the grant's tokens; never receives a secret. */
  readonly onReplay: (replay: { readonly grant: GrantDocument; readonly grantType: GrantType }) => void;
  readonly now: () => number;
}

const named = { authorization_code: 'code', refresh_token: 'refresh token' } as const satisfies Record<
  GrantType,
  string
>;

/** Makes the grants authorization_code (RFC 6749, 4.1.3, with PKCE) and refresh_token (RFC 6749, 6). */
export function createUserTokens(dependencies: UserTokenDependencies) {
  const { identify, clients, grants, accounts, keys, issuer, lifetime, grantUsed, onReplay, now } = dependencies;
  const tokenMs = lifetime * 1000;

  const recordSecretUse = ({ client, secret }: IdentifiedClient): void => {
    if (secret) clients.recordUse(client, secret.id);
  };

  /** Ends the grant of a user who may no longer sign in. @throws {OAuthFault} invalid_grant */
  const accept = async (
    use: Use,
    grantType: GrantType,
  ): Promise<{ readonly use: Use & { readonly given: true }; readonly account: Account }> => {
    const what = named[grantType];
    if (!use.given) {
      const isReplay = use.second === 'replay';
      grantUsed(grantType, isReplay ? 'replayed' : 'refused');
      if (isReplay && use.grant) onReplay({ grant: use.grant, grantType });
      throw createInvalidGrantFault(what, use.reason);
    }
    const { grant } = use;
    const account = await accounts.current(grant.institution, grant.userId);
    if (account && isSignedIn(account, grant.signedInAt)) {
      grantUsed(grantType, use.second === 'repeat' ? 'repeated' : 'given');
      return { use, account };
    }
    grantUsed(grantType, 'refused');
    await grants.end(grant);
    throw createInvalidGrantFault(what, 'its user has signed out everywhere or may no longer sign in');
  };

  /** The client's secrets as stored now: the chain may be of one that this instance has not read, or that has ended. */
  const listHeldSecretIds = async ({ client, secret }: IdentifiedClient): Promise<readonly string[]> => {
    if (!secret) return [];
    const current = await clients.current(client.id);
    return (current?.secrets ?? []).map(({ id }) => id);
  };

  const issue = async (
    { client, secret }: IdentifiedClient,
    { grant, refreshToken }: Use & { readonly given: true },
    account: Account,
    asked: readonly string[],
    nonce: string | null,
  ): Promise<IssuedToken> => {
    const scopes = selectTokenScopes(asked, client, account);
    const authTime = Math.floor(grant.signedInAt / 1000);
    const key = keys.signing();
    const origin = { grantId: grant.id, secretId: secret?.id };
    const user = { ...account, authTime };
    const claims = buildAccessClaims({ issuer, client, origin, scopes, lifetime, now: now(), user });
    // OpenID Connect Core, 2; `at_hash` follows from the access token.
    const idClaims = {
      iss: issuer,
      ...buildUserClaims(account, scopes),
      aud: client.id,
      iat: claims.iat,
      exp: claims.exp,
      auth_time: authTime,
      // OpenID Connect Front-Channel Logout 1.0, 3: by it the client's ID token names the session to end.
      sid: grant.sessionId,
      ...(nonce === null ? {} : { nonce }),
    };
    const accessToken = await signAccessToken(JSON.stringify(claims), key.kid, key.privateKey);
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: lifetime,
      scope: writeScopes(scopes),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(scopes.includes('openid') ? { id_token: signIdToken(idClaims, accessToken, key) } : {}),
    };
  };

  const exchange: IssueToken = async (form, authorization) => {
    const [code = '', redirectUri = '', verifier = ''] = requireParameters(form, authorization, [
      'code',
      'redirect_uri',
      'code_verifier',
    ]);
    const identified = await identify(form, authorization);
    const { client, secret } = identified;
    const exchanged = await grants.exchange({
      code,
      clientId: client.id,
      secretId: secret?.id ?? null,
      redirectUri,
      verifier,
      tokenMs,
    });
    const { use, account } = await accept(exchanged, 'authorization_code');
    recordSecretUse(identified);
    return issue(identified, use, account, use.grant.scopes, use.grant.nonce);
  };

  const refresh: IssueToken = async (form, authorization) => {
    const [refreshToken = ''] = requireParameters(form, authorization, ['refresh_token']);
    const identified = await identify(form, authorization);
    const { client, secret } = identified;
    const asked = form.scope === undefined ? undefined : readScopes(form.scope).sort();
    const allow = async ({ institution, userId, scopes }: GrantDocument): Promise<void> => {
      if (findMissingScopes(asked ?? [], scopes).length > 0)
        throw new OAuthFault('invalid_parameter', 'invalid_scope', 'The user has not granted every requested scope.');
      const account = await accounts.current(institution, userId);
      if (account) selectTokenScopes(asked ?? scopes, client, account);
    };
    const scope = asked ? writeScopes(asked) : null;
    const refreshed = await grants.refresh({
      refreshToken,
      clientId: client.id,
      secretId: secret?.id ?? null,
      heldSecretIds: await listHeldSecretIds(identified),
      scope,
      tokenMs,
      allow,
    });
    const { use, account } = await accept(refreshed, 'refresh_token');
    recordSecretUse(identified);
    // No nonce: it belongs to the answer that the user waited for (OpenID Connect Core, 12.2).
    return issue(identified, use, account, asked ?? use.grant.scopes, null);
  };

  return { authorization_code: exchange, refresh_token: refresh };
}

const createInvalidGrantFault = (what: string, reason: string): OAuthFault =>
  new OAuthFault('bad_request', 'invalid_grant', `The ${what} is not valid: ${reason}.`);

/** What client and role share of the asked ones. @throws {OAuthFault} invalid_scope where nothing is left */
const selectTokenScopes = (asked: readonly string[], client: Pick<Client, 'scopes'>, account: Account): string[] => {
  const scopes = selectGrantableScopes(asked, client.scopes, account.scopes);
  if (isEnough(scopes)) return scopes;
  const details = 'The role of the user or the client has none of the granted scopes any more.';
  throw new OAuthFault('invalid_parameter', 'invalid_scope', details);
};

/** Every parameter of the grant, and a client_id unless the client uses HTTP Basic. */
const requireParameters = (
  form: TokenForm,
  authorization: string | undefined,
  names: readonly (keyof TokenForm)[],
): string[] => requireFields(form, isBasic(authorization) ? names : [...names, 'client_id']);
