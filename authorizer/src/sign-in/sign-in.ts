import type { KeySet } from '@boxoffice/identity';
import type { Store } from '@boxoffice/store';
import type { ClientDirectory } from '../clients/directory.ts';
import { applicationOf } from '../clients/uris.ts';
import type { Grants } from '../grants/grants.ts';
import type { AuthorizerMetrics } from '../metrics.ts';
import type { PageHandler } from '../pages/front.ts';
import type { Accounts } from '../users/accounts.ts';
import { createAuthorize } from './authorize.ts';
import { createConsents } from './consents.ts';
import { createForms } from './forms.ts';
import type { Institutions } from './institutions.ts';
import { createLogout, createReadIdTokenHint } from './logout.ts';
import { createSessions } from './sessions.ts';
import { AUTHORIZE_PATH, LOGOUT_PATH } from './views.ts';

export interface SignInOptions {
  readonly store: Store;
  readonly issuer: string;
  readonly keyEncryptionKey: string;
  readonly clients: Pick<ClientDirectory, 'cached' | 'current'>;
  readonly institutions: Institutions;
  readonly accounts: Accounts;
  readonly grants: Grants;
  readonly keySet: KeySet;
  readonly metrics: Pick<AuthorizerMetrics, 'signIn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The pages of signing in and out, by path. */
export const createSignIn = (options: SignInOptions): ReadonlyMap<string, PageHandler> => {
  const { store, issuer, keyEncryptionKey, clients, institutions, accounts, grants, keySet, metrics, now } = options;
  const common = {
    clientOf: async (clientId: string) => clients.cached(clientId) ?? clients.current(clientId),
    institutions,
    sessions: createSessions(store, accounts, now),
    forms: createForms(store, keyEncryptionKey, now),
  };
  const openFrom = async (institution: string | undefined) =>
    institution === undefined ? `${issuer}/docs` : applicationOf(store, institution, issuer);
  const consents = createConsents(store, now);
  const readHint = createReadIdTokenHint(keySet, issuer);
  return new Map([
    [AUTHORIZE_PATH, createAuthorize({ ...common, issuer, consents, grants, accounts, metrics, readHint, now })],
    [LOGOUT_PATH, createLogout({ ...common, readHint, applicationOf: openFrom })],
  ]);
};
