import { hash, type KeyObject, randomUUID } from 'node:crypto';
import {
  ACCESS_TYPE,
  type AccessClaims,
  type CallerUser,
  type SigningKey,
  signJws,
  signJwsInPool,
} from '@boxoffice/identity';
import {
  type Authenticate,
  type ClientDirectory,
  createInvalidClientFault,
  type Form,
  type IdentifyClient,
  isBasic,
} from '../clients/authentication.ts';
import { findMissingScopes, readScopes, writeScopes } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';
import { GRANT_TYPE, GRANT_TYPES, type IssuedToken, OAuthFault, USER_GRANT_TYPES } from './endpoints.ts';
import type { KeyRing } from './signing-keys.ts';

/** Separates the ids in a `jti`; none of them contains it. */
const SEPARATOR = '.';

interface TokenOrigin {
  /** The grant of a user; undefined for a client's own token. */
  readonly grantId: string | undefined;
  /** The secret that authenticated the client; undefined for a public one, which has none. */
  readonly secretId: string | undefined;
}

export function parseTokenOrigin({ jti, role }: Pick<AccessClaims, 'jti' | 'role'>): TokenOrigin {
  const [first, second] = jti.split(SEPARATOR).slice(0, -1);
  return role === undefined ? { grantId: undefined, secretId: first } : { grantId: first, secretId: second };
}

interface TokenUser extends CallerUser {
  /** When the user signed in. Epoch seconds. */
  readonly authTime: number;
}

interface AccessTokenIssue {
  readonly issuer: string;
  readonly client: Pick<ClientDocument, 'id' | 'institution'>;
  readonly origin: TokenOrigin;
  readonly scopes: readonly string[];
  /** Seconds. */
  readonly lifetime: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly user?: TokenUser;
}

/** The claims of a new access token (RFC 9068, 2.2). */
export function buildAccessClaims({
  issuer,
  client,
  origin,
  scopes,
  lifetime,
  now,
  user,
}: AccessTokenIssue): AccessClaims {
  const issuedAt = Math.floor(now / 1000);
  return {
    iss: issuer,
    aud: issuer,
    sub: client.id,
    client_id: client.id,
    institution: client.institution,
    scope: writeScopes(scopes),
    iat: issuedAt,
    exp: issuedAt + lifetime,
    jti: makeTokenId(origin),
    ...(user && buildUserMembers(user)),
  };
}

/** Has the ids of the grant and of the secret, so that the token ends with either without an additional claim. */
const makeTokenId = ({ grantId, secretId }: TokenOrigin): string =>
  [grantId, secretId, randomUUID()].filter((id) => id !== undefined).join(SEPARATOR);

const buildUserMembers = ({ id, role, authTime, contact, pointsOfSale }: TokenUser) => ({
  sub: id,
  role,
  auth_time: authTime,
  ...(contact === null ? {} : { contact }),
  ...(pointsOfSale.length === 0 ? {} : { points_of_sale: pointsOfSale }),
});

/** Signs the claims of an access token, given as JSON (RFC 9068, 2). */
export function signAccessToken(claims: string, kid: string, key: KeyObject): Promise<string> {
  return signJwsInPool(claims, { type: ACCESS_TYPE, kid }, key);
}

/** Signs the claims of an ID token, with the left half of its access token's hash (OpenID Connect Core, 3.1.3.6). */
export function signIdToken(claims: object, accessToken: string, { kid, privateKey }: SigningKey): string {
  const at_hash = hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');
  return signJws(JSON.stringify({ ...claims, at_hash }), { type: 'JWT', kid }, privateKey);
}

/** The parameters of the grants (RFC 6749, 4.1.3, 4.4.2 and 6; RFC 7636, 4.5). */
export type TokenForm = Form<
  'grant_type' | 'client_id' | 'client_secret' | 'scope' | 'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token'
>;

interface TokenDependencies {
  readonly authenticate: Authenticate;
  readonly userTokens: Readonly<Record<(typeof USER_GRANT_TYPES)[number], IssueToken>>;
  readonly identify: IdentifyClient;
  readonly clients: Pick<ClientDirectory, 'recordUse'>;
  readonly keys: Pick<KeyRing, 'signing'>;
  /** `iss` and `aud` of the tokens. */
  readonly issuer: string;
  /** Seconds. */
  readonly lifetime: number;
  readonly now: () => number;
}

/** Rejects with OAuthFault. A client's own token comes without refresh token (RFC 6749, 4.4.3). */
export type IssueToken = (form: TokenForm, authorization: string | undefined) => Promise<IssuedToken>;

/** Client credentials (RFC 6749, 4.4), which write nothing, and the grants of users. */
export function createIssueToken({
  authenticate,
  userTokens,
  identify,
  clients,
  keys,
  issuer,
  lifetime,
  now,
}: TokenDependencies): IssueToken {
  return async (form, authorization) => {
    if (isUserGrant(form.grant_type)) return userTokens[form.grant_type](form, authorization);
    requireKnownGrant(form);
    if (!isBasic(authorization)) await refusePublicClient(form, identify);
    const { client, secret } = await authenticate(form, authorization);
    const scopes = selectGrantedScopes(form, client.scopes);
    const origin = { grantId: undefined, secretId: secret.id };
    const claims = buildAccessClaims({ issuer, client, origin, scopes, lifetime, now: now() });
    const { kid, privateKey } = keys.signing();
    clients.recordUse(client, secret.id);
    return {
      access_token: await signAccessToken(JSON.stringify(claims), kid, privateKey),
      token_type: 'Bearer',
      expires_in: lifetime,
      scope: writeScopes(scopes),
    };
  };
}

const isUserGrant = (grantType: string | undefined): grantType is (typeof USER_GRANT_TYPES)[number] =>
  USER_GRANT_TYPES.some((known) => known === grantType);

/** Before the other parameters, since which of them are needed depends on the grant. */
const requireKnownGrant = ({ grant_type }: TokenForm): void => {
  if (grant_type === GRANT_TYPE) return;
  const known = GRANT_TYPES.join(', ');
  throw new OAuthFault('invalid_parameter', 'unsupported_grant_type', `The grant_type must be one of ${known}.`);
};

/** It has no secret to send: refused like wrong credentials. @throws {OAuthFault} invalid_client */
const refusePublicClient = async ({ client_id, client_secret }: TokenForm, identify: IdentifyClient): Promise<void> => {
  if (client_id === undefined || client_secret !== undefined) return;
  const isPublic = await identify({ client_id }, undefined).then(
    () => true,
    () => false,
  );
  if (isPublic) throw createInvalidClientFault(false);
};

/** The granted scopes: all of the client's, or the requested ones if it holds them all (RFC 6749, 3.3). */
const selectGrantedScopes = ({ scope }: TokenForm, held: readonly string[]): readonly string[] => {
  if (scope === undefined) return held;
  const wanted = readScopes(scope);
  if (findMissingScopes(wanted, held).length === 0) return wanted;
  throw new OAuthFault('invalid_parameter', 'invalid_scope', 'The client is not registered for every requested scope.');
};
