import { randomUUID } from 'node:crypto';
import type { AccessClaims } from '@boxoffice/identity';
import { writeScopes } from './domain/scopes.ts';
import type { ClientDocument } from './store.ts';

export interface AccessTokenIssue {
  readonly issuer: string;
  readonly client: Pick<ClientDocument, 'id' | 'institution'>;
  readonly scopes: readonly string[];
  /** Seconds. */
  readonly lifetime: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The claims of a new access token (RFC 9068, 2.2). */
export const accessClaims = ({ issuer, client, scopes, lifetime, now }: AccessTokenIssue): AccessClaims => {
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
    jti: randomUUID(),
  };
};
