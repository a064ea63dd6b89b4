import type { Authenticate } from '../authentication/authenticate-client.ts';
import { isBasic } from '../authentication/basic.ts';
import { type Form, required } from '../authentication/form.ts';
import { OAuthFault } from '../authentication/oauth-error.ts';
import type { ClientUses } from '../clients/directory.ts';
import { lacking, readScopes, writeScopes } from '../domain/scopes.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { accessClaims } from './claims.ts';
import type { Signer } from './signer.ts';

/** The parameters of the client credentials grant (RFC 6749, 4.4.2). */
export type TokenForm = Form<'grant_type' | 'client_id' | 'client_secret' | 'scope'>;

export const GRANT_TYPE = 'client_credentials';

/** A successful answer (RFC 6749, 5.1). No refresh token (4.4.3). */
export interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
}

const requireParameters = (form: TokenForm, basic: boolean): void => {
  required(form, basic ? ['grant_type'] : ['grant_type', 'client_id', 'client_secret']);
};

const requireKnownGrant = ({ grant_type }: TokenForm): void => {
  if (grant_type === GRANT_TYPE) return;
  throw new OAuthFault('invalid_parameter', 'unsupported_grant_type', `The grant_type must be ${GRANT_TYPE}.`);
};

/** The granted scopes: all of the client's, or the requested ones if it holds them all (RFC 6749, 3.3). */
const grantedScopes = ({ scope }: TokenForm, held: readonly string[]): readonly string[] => {
  if (scope === undefined) return held;
  const wanted = readScopes(scope);
  if (lacking(wanted, held).length === 0) return wanted;
  throw new OAuthFault('invalid_parameter', 'invalid_scope', 'The client is not registered for every requested scope.');
};

export interface TokenDependencies {
  readonly authenticate: Authenticate;
  readonly clients: Pick<ClientUses, 'recordUse'>;
  readonly keys: Pick<KeyRing, 'signing'>;
  readonly signer: Pick<Signer, 'sign'>;
  /** `iss` and `aud` of the tokens. */
  readonly issuer: string;
  /** Seconds. */
  readonly lifetime: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Issues an access token for a posted form and its Authorization header; rejects with OAuthFault. */
export type IssueToken = (form: TokenForm, authorization: string | undefined) => Promise<IssuedToken>;

/** Makes the client credentials grant (RFC 6749, 4.4). Issuing a token writes nothing. */
export const createIssueToken =
  ({ authenticate, clients, keys, signer, issuer, lifetime, now }: TokenDependencies): IssueToken =>
  async (form, authorization) => {
    requireParameters(form, isBasic(authorization));
    requireKnownGrant(form);
    const { client, secret } = await authenticate(form, authorization);
    const scopes = grantedScopes(form, client.scopes);
    const claims = accessClaims({ issuer, client, secretId: secret.id, scopes, lifetime, now: now() });
    const token = await signer.sign(keys.signing(), claims);
    clients.recordUse(client, secret.id);
    return { access_token: token, token_type: 'Bearer', expires_in: lifetime, scope: writeScopes(scopes) };
  };
