import type { ClientDirectory } from '../clients/directory.ts';
import type { Secret } from '../domain/client.ts';
import type { ClientDocument } from '../store.ts';
import {
  type Authenticate,
  type CredentialForm,
  type FailedAuthentication,
  invalidClient,
} from './authenticate-client.ts';
import { isBasic } from './basic.ts';
import { required } from './form.ts';

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
