import { hash, type KeyObject, randomUUID } from 'node:crypto';
import {
  ACCESS_TYPE,
  type AccessClaims,
  type CallerUser,
  type SigningKey,
  signJws,
  signJwsInPool,
} from '@boxoffice/identity';
import { writeScopes } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';

/** Separates the ids in a `jti`; none of them contains it. */
const SEPARATOR = '.';

/** What a token was obtained with. */
interface TokenOrigin {
  /** The grant of a user; undefined for a client's own token. */
  readonly grantId: string | undefined;
  /** The secret that authenticated the client; undefined for a public one, which has none. */
  readonly secretId: string | undefined;
}

/**
 * A new `jti`. It contains the ids of the grant and of the secret that obtained the token, so that the token ends with
 * either without an additional claim.
 */
const tokenId = ({ grantId, secretId }: TokenOrigin): string =>
  [grantId, secretId, randomUUID()].filter((id) => id !== undefined).join(SEPARATOR);

/** What the token with these claims was obtained with. */
export const originOf = ({ jti, role }: Pick<AccessClaims, 'jti' | 'role'>): TokenOrigin => {
  const [first, second] = jti.split(SEPARATOR).slice(0, -1);
  return role === undefined ? { grantId: undefined, secretId: first } : { grantId: first, secretId: second };
};

/** The user of a token. */
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
  /** The user who signed in; absent for a client's own token. */
  readonly user?: TokenUser;
}

const userClaims = ({ id, role, authTime, contact, pointsOfSale }: TokenUser) => ({
  sub: id,
  role,
  auth_time: authTime,
  ...(contact === null ? {} : { contact }),
  ...(pointsOfSale.length === 0 ? {} : { points_of_sale: pointsOfSale }),
});

/** The claims of a new access token (RFC 9068, 2.2). */
export const accessClaims = ({
  issuer,
  client,
  origin,
  scopes,
  lifetime,
  now,
  user,
}: AccessTokenIssue): AccessClaims => {
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
    jti: tokenId(origin),
    ...(user && userClaims(user)),
  };
};

/** Signs the claims of an access token, given as JSON (RFC 9068, 2). */
export const signAccessToken = (claims: string, kid: string, key: KeyObject): Promise<string> =>
  signJwsInPool(claims, { type: ACCESS_TYPE, kid }, key);

/** Signs the claims of an ID token, with the left half of its access token's hash (OpenID Connect Core, 3.1.3.6). */
export const signIdToken = (claims: object, accessToken: string, { kid, privateKey }: SigningKey): string => {
  const at_hash = hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');
  return signJws(JSON.stringify({ ...claims, at_hash }), { type: 'JWT', kid }, privateKey);
};
