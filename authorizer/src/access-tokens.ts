import { randomUUID } from 'node:crypto';
import { ACCESS_TYPE, type AccessClaims, SIGNATURE_ALGORITHM, type SigningKey } from '@boxoffice/identity';
import { writeScopes } from './domain/scopes.ts';
import type { Signer } from './signer.ts';
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

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const headers = new WeakMap<SigningKey, string>();

const headerOf = (key: SigningKey): string => {
  const known = headers.get(key);
  if (known !== undefined) return known;
  const header = encoded({ typ: ACCESS_TYPE, alg: SIGNATURE_ALGORITHM, kid: key.kid });
  headers.set(key, header);
  return header;
};

/** Signs an access token (RFC 7515, 3.1). By hand, since jsonwebtoken signs on the event loop only. */
export const signAccessToken = async (
  signer: Pick<Signer, 'sign'>,
  key: SigningKey,
  claims: AccessClaims,
): Promise<string> => {
  const input = `${headerOf(key)}.${encoded(claims)}`;
  return `${input}.${await signer.sign(key, input)}`;
};
