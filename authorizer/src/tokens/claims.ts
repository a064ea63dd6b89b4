import { randomUUID } from 'node:crypto';
import type { AccessClaims, CallerUser } from '@boxoffice/identity';
import { writeScopes } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';

/** Separates the ids in a `jti`; none of them contains it. */
const SEPARATOR = '.';

/** What a token was obtained with. */
export interface TokenOrigin {
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
export interface TokenUser extends CallerUser {
  /** When the user signed in. Epoch seconds. */
  readonly authTime: number;
}

export interface AccessTokenIssue {
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
