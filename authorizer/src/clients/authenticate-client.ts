// The credentials of the authorizer's clients.

import type { Secret } from '../domain/client.ts';
import type { ClientDocument } from '../store.ts';
import { OAuthFault } from '../tokens/oauth-error.ts';
import { type Credentials, type Form, isBasic, readBasic, required } from './credentials.ts';
import type { ClientDirectory } from './directory.ts';
import { matchSecret } from './secrets.ts';

/** The form fields that may carry client credentials. */
type CredentialForm = Form<'client_id' | 'client_secret'>;

/**
 * Called for each `invalid_client`, and for each service that is refused; not for a malformed form (`invalid_request`).
 * Never receives a secret.
 */
export type FailedAuthentication = (failure: {
  readonly clientId: string | undefined;
  readonly reason: string;
}) => void;

interface AuthenticatedClient {
  readonly client: ClientDocument;
  readonly secret: Secret;
}

/** Authenticates the client from the posted form and the request's Authorization header; rejects with OAuthFault. */
export type Authenticate = (form: CredentialForm, authorization: string | undefined) => Promise<AuthenticatedClient>;

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="boxoffice", charset="UTF-8"' };

/** The same refusal for an unknown client and for a wrong secret; with a challenge only if Basic was used. */
export const invalidClient = (basic: boolean): OAuthFault =>
  new OAuthFault('unauthorized', 'invalid_client', 'The client credentials are not valid.', basic ? CHALLENGE : {});

/** The presented credentials, by exactly one of the two methods (RFC 6749, 2.3.1). */
const readCredentials = (form: CredentialForm, authorization: string | undefined): Credentials | undefined => {
  if (!isBasic(authorization)) {
    const [id = '', secret = ''] = required(form, ['client_id', 'client_secret']);
    return { id, secret };
  }
  const credentials = readBasic(authorization);
  if (form.client_secret !== undefined) {
    throw new OAuthFault(
      'bad_request',
      'invalid_request',
      'Client credentials are sent both as HTTP Basic and in the form; use one method.',
    );
  }
  if (credentials && form.client_id !== undefined && form.client_id !== credentials.id) {
    throw new OAuthFault(
      'bad_request',
      'invalid_request',
      'The form field client_id differs from the client of HTTP Basic.',
    );
  }
  return credentials;
};

/**
 * Creates the client authentication. An unknown client and a wrong secret cost the same: one read of the store and the
 * same comparisons, so that neither response nor time reveals which client exists. That read also finds a secret that
 * another instance has just created. A client is cached for a second, so an instance accepts a withdrawn secret for a
 * second at most; docs/reliability.md promises five.
 */
export const createClientAuthentication =
  (clients: ClientDirectory, onFailure: FailedAuthentication): Authenticate =>
  async (form, authorization) => {
    const basic = isBasic(authorization);
    const credentials = readCredentials(form, authorization);
    if (!credentials) {
      onFailure({ clientId: undefined, reason: 'malformed credentials' });
      throw invalidClient(basic);
    }
    const cached = clients.cached(credentials.id);
    const known = matchSecret(cached?.secrets ?? [], credentials.secret);
    if (cached && known) return { client: cached, secret: known };

    const client = await clients.current(credentials.id);
    const secret = matchSecret(client?.secrets ?? [], credentials.secret);
    if (client && secret) return { client, secret };
    onFailure({ clientId: credentials.id, reason: client ? 'wrong secret' : 'unknown client' });
    throw invalidClient(basic);
  };

/** A client that has authenticated, or a public one that has named itself. */
export interface IdentifiedClient {
  readonly client: ClientDocument;
  /** Absent of a public client. */
  readonly secret?: Secret;
}

/** Identifies the client of a request; rejects with OAuthFault. */
export type IdentifyClient = (form: CredentialForm, authorization: string | undefined) => Promise<IdentifiedClient>;

/**
 * Creates the identification of clients at which users sign in: a confidential client authenticates, a public client
 * sends its client_id alone (RFC 6749, 3.2.1). A confidential client without its secret is refused like an unknown one.
 */
export const createClientIdentification =
  (clients: ClientDirectory, authenticate: Authenticate, onFailure: FailedAuthentication): IdentifyClient =>
  async (form, authorization) => {
    if (isBasic(authorization) || form.client_secret !== undefined) return authenticate(form, authorization);
    const [clientId = ''] = required(form, ['client_id']);
    const client = clients.cached(clientId) ?? (await clients.current(clientId));
    if (client?.type === 'public') return { client };
    onFailure({ clientId, reason: client ? 'no secret' : 'unknown client' });
    throw invalidClient(false);
  };
