import { hash, timingSafeEqual } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import { isUseDue, MAX_SECRETS, recordUse, type Secret } from '../domain/client.ts';
import { type ClientDocument, clientsCollection } from '../store.ts';
import { OAuthFault } from '../tokens/endpoints.ts';

/** The form of client ids. Any other presented id may be a misplaced secret, so it is neither logged nor looked up. */
export const CLIENT_ID = /^cli_[A-Za-z0-9_-]{22}$/;

/** Compared in place of a missing secret; no secret has this hash. */
const NO_HASH = Buffer.alloc(32);

/** How long a client is cached: well below the five seconds within which a change must take effect. Milliseconds. */
const CACHED_MS = 1_000;
const CACHED_CLIENTS = 10_000;

/** Looked up in place of a malformed client id, so that this takes the same time. */
const NO_CLIENT = 'cli_none';

export type ClientDirectory = ReturnType<typeof createClientDirectory>;

export function createClientDirectory(store: Store, now = Date.now) {
  const clients = store.collection(clientsCollection).acrossInstitutions;
  const cache = new LRUCache<string, { readonly client: ClientDocument; readonly at: number }>({
    max: CACHED_CLIENTS,
  });
  const pendingWrites = new Map<string, Promise<unknown>>();

  return {
    /** The client as of at most a second ago; undefined if it is not cached. */
    cached: (clientId: string): ClientDocument | undefined => {
      const entry = cache.get(clientId);
      return entry && now() - entry.at < CACHED_MS ? entry.client : undefined;
    },
    /** The current client; undefined if it does not exist or was deleted. */
    current: async (clientId: string): Promise<ClientDocument | undefined> => {
      const at = now();
      const client = await clients.get(CLIENT_ID.test(clientId) ? clientId : NO_CLIENT);
      if (!client || client.deletedAt !== null) return undefined;
      cache.set(clientId, { client, at });
      return client;
    },
    forget: (clientId: string): void => {
      cache.delete(clientId);
    },
    /** Records the use of a secret, coarsely and after the response; best effort. */
    recordUse: (client: ClientDocument, secretId: string): void => {
      const secret = client.secrets.find(({ id }) => id === secretId);
      if (!secret || !isUseDue(secret, now()) || pendingWrites.has(secretId)) return;
      const at = new Date(now());
      const written = clients
        .update(client.id, (current) => {
          const next = recordUse(current, secretId, at);
          return next && { next };
        })
        .catch(() => undefined)
        .finally(() => {
          cache.delete(client.id);
          pendingWrites.delete(secretId);
        });
      pendingWrites.set(secretId, written);
    },
    settle: async (): Promise<void> => {
      await Promise.all(pendingWrites.values());
    },
  };
}

/** The known fields of a posted form; absent and empty ones are missing. */
export type Form<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** The values of required fields, in order. @throws {OAuthFault} naming every missing field */
export function requireFields<Name extends string>(form: Form<Name>, names: readonly Name[]): string[] {
  const missing = names.filter((name) => form[name] === undefined);
  if (missing.length === 0) return names.map((name) => form[name] as string);
  const details = missing.map((name) => `form field ${name} is required`).join('; ');
  throw new OAuthFault('missing_parameter', 'invalid_request', `${details}.`);
}

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

const SCHEME = /^basic(?:\s+|$)/i;

/** Whether the header uses the Basic scheme, well-formed or not. */
export function isBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && SCHEME.test(authorization);
}

/** Undefined if malformed or incomplete. */
export function readBasic(authorization: string): Credentials | undefined {
  const parts = splitBasic(authorization);
  return parts?.id && parts.secret ? parts : undefined;
}

/** Split at the first colon, both parts form-decoded (RFC 6749, 2.3.1). Undefined without one. */
const splitBasic = (authorization: string): Credentials | undefined => {
  const decoded = Buffer.from(authorization.replace(SCHEME, '').trim(), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return undefined;
  const id = decodeForm(decoded.slice(0, colon));
  return { id, secret: decodeForm(decoded.slice(colon + 1)) };
};

const decodeForm = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not percent-encoded by the client.
    return text;
  }
};

type CredentialForm = Form<'client_id' | 'client_secret'>;

/** Not for a malformed form (`invalid_request`). Never receives a secret. */
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
export function createInvalidClientFault(basic: boolean): OAuthFault {
  return new OAuthFault(
    'unauthorized',
    'invalid_client',
    'The client credentials are not valid.',
    basic ? CHALLENGE : {},
  );
}

/** An unknown client and a wrong secret cost the same, so that neither response nor time tells which client exists. */
export function createClientAuthentication(clients: ClientDirectory, onFailure: FailedAuthentication): Authenticate {
  return async (form, authorization) => {
    const basic = isBasic(authorization);
    const credentials = readCredentials(form, authorization);
    if (!credentials) {
      if (!hasNoPassword(authorization)) onFailure({ clientId: undefined, reason: 'malformed credentials' });
      throw createInvalidClientFault(basic);
    }
    const cached = clients.cached(credentials.id);
    const known = matchSecret(cached?.secrets ?? [], credentials.secret);
    if (cached && known) return { client: cached, secret: known };

    const client = await clients.current(credentials.id);
    const secret = matchSecret(client?.secrets ?? [], credentials.secret);
    if (client && secret) return { client, secret };
    onFailure({ clientId: credentials.id, reason: client ? 'wrong secret' : 'unknown client' });
    throw createInvalidClientFault(basic);
  };
}

/** The presented credentials, by exactly one of the two methods (RFC 6749, 2.3.1). */
const readCredentials = (form: CredentialForm, authorization: string | undefined): Credentials | undefined => {
  if (!isBasic(authorization)) {
    const [id = '', secret = ''] = requireFields(form, ['client_id', 'client_secret']);
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

/** Guesses nothing: libraries try a public client so, before they send its client_id in the form. */
const hasNoPassword = (authorization: string | undefined): boolean => {
  const parts = isBasic(authorization) ? splitBasic(authorization) : undefined;
  return parts !== undefined && parts.id !== '' && parts.secret === '';
};

/** The time does not depend on whether the client exists, on its number of secrets, or on which one matches. */
const matchSecret = (secrets: readonly Secret[], presented: string): Secret | undefined => {
  const candidate = hash('sha256', presented, 'buffer');
  let match: Secret | undefined;
  for (let slot = 0; slot < MAX_SECRETS; slot += 1) {
    const secret = secrets[slot];
    const known = secret ? Buffer.from(secret.hash, 'base64url') : NO_HASH;
    if (timingSafeEqual(known, candidate) && secret) match = secret;
  }
  return match;
};

export interface IdentifiedClient {
  readonly client: ClientDocument;
  /** Absent of a public client. */
  readonly secret?: Secret;
}

/** Rejects with OAuthFault. */
export type IdentifyClient = (form: CredentialForm, authorization: string | undefined) => Promise<IdentifiedClient>;

/** A public client sends its client_id alone (RFC 6749, 3.2.1); a confidential one without its secret is refused. */
export function createClientIdentification(
  clients: ClientDirectory,
  authenticate: Authenticate,
  onFailure: FailedAuthentication,
): IdentifyClient {
  return async (form, authorization) => {
    if (isBasic(authorization) || form.client_secret !== undefined) return authenticate(form, authorization);
    const [clientId = ''] = requireFields(form, ['client_id']);
    const client = clients.cached(clientId) ?? (await clients.current(clientId));
    if (client?.type === 'public') return { client };
    onFailure({ clientId, reason: client ? 'no secret' : 'unknown client' });
    throw createInvalidClientFault(false);
  };
}
