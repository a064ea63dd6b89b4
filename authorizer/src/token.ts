import { accessClaims, signAccessToken } from './access-tokens.ts';
import type { ClientDirectory, FailedAuthentication } from './authenticate-client.ts';
import { createClientAuthentication } from './authenticate-client.ts';
import { isBasic } from './basic.ts';
import type { ClientUses } from './client-directory.ts';
import { lacking, readScopes, writeScopes } from './domain/scopes.ts';
import { type Endpoint, envelopeWith, refuseQuery } from './endpoint.ts';
import { checkFormType, readForm, required } from './form.ts';
import type { KeyRing } from './key-ring.ts';
import { OAuthFault } from './oauth-error.ts';

/** RFC 6749, 4.4.2. */
const PARAMETERS = ['grant_type', 'client_id', 'client_secret', 'scope'] as const;

export const GRANT_TYPE = 'client_credentials';

/** The one grant (RFC 6749, 4.4.2). */
const checkGrant = (grantType: string | undefined): void => {
  if (grantType === GRANT_TYPE) return;
  throw new OAuthFault('invalid_parameter', 'unsupported_grant_type', `The grant_type must be ${GRANT_TYPE}.`);
};

/** The scopes that a token gets: all that the client holds, or those of them that it asks for (RFC 6749, 3.3). */
export const grantedScopes = (asked: string | undefined, held: readonly string[]): readonly string[] => {
  if (asked === undefined) return held;
  const wanted = readScopes(asked);
  if (lacking(wanted, held).length > 0) {
    throw new OAuthFault(
      'invalid_parameter',
      'invalid_scope',
      'The client is not registered for every scope that it asks for.',
    );
  }
  return wanted;
};

export interface TokenDependencies {
  readonly clients: ClientDirectory & ClientUses;
  readonly keys: KeyRing;
  readonly failed: FailedAuthentication;
  /** `iss` and `aud` of the tokens. */
  readonly issuer: string;
  /** Seconds. */
  readonly lifetime: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** `POST /auth/token`: the client credentials grant (RFC 6749, 4.4). No refresh token (4.4.3). Nothing is written for a token. */
export const createTokenEndpoint = (dependencies: TokenDependencies): Endpoint => {
  const { clients, keys, failed, issuer, lifetime, now } = dependencies;
  const authenticate = createClientAuthentication(clients, failed);

  return async ({ contentType, authorization, query, body }) => {
    checkFormType(contentType);
    refuseQuery(query);
    const form = readForm(body, PARAMETERS);
    required(form, isBasic(authorization) ? ['grant_type'] : ['grant_type', 'client_id', 'client_secret']);
    checkGrant(form.grant_type);
    const { client, secret } = await authenticate(form, authorization);
    const scopes = grantedScopes(form.scope, client.scopes);
    const token = await signAccessToken(keys.signing(), accessClaims({ issuer, client, scopes, lifetime, now: now() }));
    clients.used(client, secret.id);
    return envelopeWith({
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetime,
      scope: writeScopes(scopes),
    });
  };
};
