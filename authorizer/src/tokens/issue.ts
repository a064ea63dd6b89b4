import { type Authenticate, type IdentifyClient, invalidClient } from '../clients/authenticate-client.ts';
import { type Form, isBasic } from '../clients/credentials.ts';
import type { ClientDirectory } from '../clients/directory.ts';
import { lacking, readScopes, writeScopes } from '../domain/scopes.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { accessClaims, signAccessToken } from './access-token.ts';
import { OAuthFault } from './oauth-error.ts';
import type { IssuedToken } from './schemas.ts';

/** The parameters of the grants (RFC 6749, 4.1.3, 4.4.2 and 6; RFC 7636, 4.5). */
export type TokenForm = Form<
  'grant_type' | 'client_id' | 'client_secret' | 'scope' | 'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token'
>;

export const GRANT_TYPE = 'client_credentials';

/** The grants of users. */
const USER_GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;

/** Every grant type. */
export const GRANT_TYPES = [GRANT_TYPE, ...USER_GRANT_TYPES] as const;

const isUserGrant = (grantType: string | undefined): grantType is (typeof USER_GRANT_TYPES)[number] =>
  USER_GRANT_TYPES.some((known) => known === grantType);

/** Before the other parameters, since which of them are needed depends on the grant. */
const requireKnownGrant = ({ grant_type }: TokenForm): void => {
  if (grant_type === GRANT_TYPE) return;
  const known = GRANT_TYPES.join(', ');
  throw new OAuthFault('invalid_parameter', 'unsupported_grant_type', `The grant_type must be one of ${known}.`);
};

/** The granted scopes: all of the client's, or the requested ones if it holds them all (RFC 6749, 3.3). */
const grantedScopes = ({ scope }: TokenForm, held: readonly string[]): readonly string[] => {
  if (scope === undefined) return held;
  const wanted = readScopes(scope);
  if (lacking(wanted, held).length === 0) return wanted;
  throw new OAuthFault('invalid_parameter', 'invalid_scope', 'The client is not registered for every requested scope.');
};

interface TokenDependencies {
  readonly authenticate: Authenticate;
  /** The grants of users. */
  readonly userTokens: Readonly<Record<(typeof USER_GRANT_TYPES)[number], IssueToken>>;
  readonly identify: IdentifyClient;
  readonly clients: Pick<ClientDirectory, 'recordUse'>;
  readonly keys: Pick<KeyRing, 'signing'>;
  /** `iss` and `aud` of the tokens. */
  readonly issuer: string;
  /** Seconds. */
  readonly lifetime: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Issues an access token for a posted form and its Authorization header; rejects with OAuthFault. A client's own token
 * comes without refresh token (RFC 6749, 4.4.3).
 */
export type IssueToken = (form: TokenForm, authorization: string | undefined) => Promise<IssuedToken>;

/**
 * A public client has no secret to send; it is refused as one whose credentials are wrong.
 * @throws {OAuthFault} invalid_client
 */
const refusePublicClient = async ({ client_id, client_secret }: TokenForm, identify: IdentifyClient): Promise<void> => {
  if (client_id === undefined || client_secret !== undefined) return;
  const isPublic = await identify({ client_id }, undefined).then(
    () => true,
    () => false,
  );
  if (isPublic) throw invalidClient(false);
};

/**
 * Makes the token endpoint's grants: client credentials (RFC 6749, 4.4), which write nothing, and those of users.
 */
export const createIssueToken =
  ({ authenticate, userTokens, identify, clients, keys, issuer, lifetime, now }: TokenDependencies): IssueToken =>
  async (form, authorization) => {
    if (isUserGrant(form.grant_type)) return userTokens[form.grant_type](form, authorization);
    requireKnownGrant(form);
    if (!isBasic(authorization)) await refusePublicClient(form, identify);
    const { client, secret } = await authenticate(form, authorization);
    const scopes = grantedScopes(form, client.scopes);
    const origin = { grantId: undefined, secretId: secret.id };
    const claims = accessClaims({ issuer, client, origin, scopes, lifetime, now: now() });
    const { kid, privateKey } = keys.signing();
    clients.recordUse(client, secret.id);
    return {
      access_token: await signAccessToken(JSON.stringify(claims), kid, privateKey),
      token_type: 'Bearer',
      expires_in: lifetime,
      scope: writeScopes(scopes),
    };
  };
