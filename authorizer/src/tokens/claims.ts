import { randomUUID } from 'node:crypto';
import type { AccessClaims, CallerUser } from '@boxoffice/identity';
import { writeScopes } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';

/** Separates the secret's id from the token's own in a `jti`; secret ids do not contain it. */
const SEPARATOR = '.';

/**
 * A new `jti`. It contains the id of the secret that obtained the token, so that the token ends with its secret without
 * an additional claim.
 */
const tokenId = (secretId: string): string => `${secretId}${SEPARATOR}${randomUUID()}`;

/** The id of the secret that obtained the token with this `jti`. */
export const secretIdOf = (jti: string): string => jti.slice(0, Math.max(0, jti.indexOf(SEPARATOR)));

/** The user of a token. */
export interface TokenUser extends CallerUser {
  /** When the user signed in. Epoch seconds. */
  readonly authTime: number;
}

export interface AccessTokenIssue {
  readonly issuer: string;
  readonly client: Pick<ClientDocument, 'id' | 'institution'>;
  /** The id of the secret that authenticated the client. */
  readonly secretId: string;
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
  secretId,
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
    jti: tokenId(secretId),
    ...(user && userClaims(user)),
  };
};
