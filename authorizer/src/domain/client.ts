/** A client's secret, of which only the hash is kept. */
export interface Secret {
  readonly id: string;
  /** SHA-256 of the secret, base64url. */
  readonly hash: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC, coarse; null until first used. */
  readonly lastUsedAt: string | null;
}

/** An OAuth client of one institution. */
export interface Client {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly secrets: readonly Secret[];
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Epoch milliseconds of the last change that a gateway must know: for those that ask what changed since. */
  readonly changedAt: number;
  /** One more after each change that an administrator makes; noting the use of a secret is none. */
  readonly revision: number;
  /** A deleted client keeps its id, so that the fact of its deletion has a home; null while it lives. */
  readonly deletedAt: string | null;
}

/** So many secrets may be active at once: the one in use and the one that replaces it. */
export const MAX_SECRETS = 2;

export type Refusal = 'client_too_many_secrets' | 'client_last_secret' | 'unknown_secret';

const changed = <T extends Client>(client: T, change: Partial<Client>, now: Date): T => ({
  ...client,
  ...change,
  updatedAt: now.toISOString(),
  changedAt: now.getTime(),
  revision: client.revision + 1,
});

/** A client as it begins. */
export const newClient = (name: string, scopes: readonly string[], secret: Secret, now: Date): Client => ({
  name,
  scopes,
  secrets: [secret],
  createdAt: now.toISOString(),
  updatedAt: now.toISOString(),
  changedAt: now.getTime(),
  revision: 1,
  deletedAt: null,
});

/** A secret as it begins. */
export const newSecret = (id: string, hash: string, now: Date): Secret => ({
  id,
  hash,
  createdAt: now.toISOString(),
  lastUsedAt: null,
});

/** The client with another name or other scopes. */
export const amend = <T extends Client>(
  client: T,
  change: { readonly name?: string; readonly scopes?: readonly string[] },
  now: Date,
): T => changed(client, { name: change.name ?? client.name, scopes: change.scopes ?? client.scopes }, now);

/** The client with one more secret, unless it has two. */
export const addSecret = <T extends Client>(client: T, secret: Secret, now: Date): T | Refusal =>
  client.secrets.length >= MAX_SECRETS
    ? 'client_too_many_secrets'
    : changed(client, { secrets: [...client.secrets, secret] }, now);

/** The client without that secret, unless it is its last. */
export const removeSecret = <T extends Client>(client: T, secretId: string, now: Date): T | Refusal => {
  const secrets = client.secrets.filter(({ id }) => id !== secretId);
  if (secrets.length === client.secrets.length) return 'unknown_secret';
  return secrets.length === 0 ? 'client_last_secret' : changed(client, { secrets }, now);
};

/** What stays of a deleted client: nothing that opens or grants anything. */
export const deleted = <T extends Client>(client: T, now: Date): T =>
  changed(client, { scopes: [], secrets: [], deletedAt: now.toISOString() }, now);

/** So coarse is `lastUsedAt`: a secret in constant use costs one write in so many milliseconds. */
export const LAST_USED_COARSENESS_MS = 300_000;

/** Whether the use of a secret at that time is worth noting. */
export const isUseDue = (secret: Secret, at: number): boolean =>
  secret.lastUsedAt === null || at - Date.parse(secret.lastUsedAt) >= LAST_USED_COARSENESS_MS;

/** The client with the use of a secret noted; undefined if there is nothing to note. */
export const recordUse = <T extends Client>(client: T, secretId: string, at: Date): T | undefined => {
  const secret = client.secrets.find(({ id }) => id === secretId);
  if (!secret || !isUseDue(secret, at.getTime())) return undefined;
  const used = { ...secret, lastUsedAt: at.toISOString() };
  return { ...client, secrets: client.secrets.map((other) => (other === secret ? used : other)) };
};
