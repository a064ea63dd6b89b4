import { isWithinBounds } from './scopes.ts';

/** What a client sees of its institution, and does (platform, section 8). */
export interface Bounds {
  readonly ownOrders: boolean;
  /** Service hosts, in lower case: the only points of sale that it sells for; empty: all of them. */
  readonly pointsOfSale: readonly string[];
  readonly onAccount?: boolean;
  readonly reservationDays?: number;
  readonly heldPlaces?: number;
}

/** A change of bounds: absent members stay, null restores the default of a member, or takes the bounds away. */
export type BoundsChange = { readonly [Name in keyof Bounds]?: Bounds[Name] | null } | null;

/** Service hosts in the form in which orders have them, each once. */
export function normaliseServiceHosts(hosts: readonly string[]): string[] {
  return [...new Set(hosts.map((host) => host.trim().toLowerCase()).filter(Boolean))];
}

const changeBounds = (current: Bounds | null, change: BoundsChange | undefined): Bounds | null => {
  if (change === undefined) return current;
  if (change === null) return null;
  const { ownOrders, pointsOfSale, onAccount, reservationDays, heldPlaces } = { ...current, ...change };
  return {
    ownOrders: ownOrders ?? false,
    pointsOfSale: normaliseServiceHosts(pointsOfSale ?? []),
    ...(typeof onAccount === 'boolean' && { onAccount }),
    ...(typeof reservationDays === 'number' && { reservationDays }),
    ...(typeof heldPlaces === 'number' && { heldPlaces }),
  };
};

export function findExcludedScopes(bounds: Bounds | null, scopes: readonly string[]): string[] {
  return bounds === null ? [] : scopes.filter((scope) => !isWithinBounds(scope));
}

export interface Secret {
  readonly id: string;
  /** SHA-256 of the secret, base64url. */
  readonly hash: string;
  readonly createdAt: string;
  /** ISO 8601 UTC, accurate to LAST_USED_COARSENESS_MS; null until first used. */
  readonly lastUsedAt: string | null;
}

/** RFC 6749, 2.1: an application in a browser or on a device keeps no secret; PKCE and redirect URI authenticate it. */
export type ClientType = 'confidential' | 'public';

export interface Client {
  readonly name: string;
  readonly type: ClientType;
  readonly scopes: readonly string[];
  /** Where users return to after signing in; see isRegistered. Empty for a client without users. */
  readonly redirectUris: readonly string[];
  /** Whether it is made by somebody else than the institution: users are asked for their consent. */
  readonly thirdParty: boolean;
  /** Origins from which browsers call the interface, beside those of the redirect URIs. */
  readonly origins: readonly string[];
  /** Null: it sees the institution's data. */
  readonly bounds: Bounds | null;
  /** Empty for a public client. */
  readonly secrets: readonly Secret[];
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Epoch milliseconds of the last change that gateways must know about. */
  readonly changedAt: number;
  /** Incremented by each change of an administrator, but not by the use of a secret. */
  readonly revision: number;
  /** Null until deleted. A deleted client keeps its document, so that its deletion can be published with it. */
  readonly deletedAt: string | null;
}

export function hasSecret({ secrets }: Pick<Client, 'secrets'>, secretId: string): boolean {
  return secrets.some(({ id }) => id === secretId);
}

/** Maximum number of active secrets: the one in use and its replacement. */
export const MAX_SECRETS = 2;

export const MAX_URIS = 50;

export type Refusal = 'client_too_many_secrets' | 'client_last_secret' | 'unknown_secret' | 'public_client';

export interface Registration {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly type?: ClientType;
  readonly redirectUris?: readonly string[];
  readonly thirdParty?: boolean;
  readonly origins?: readonly string[];
  readonly bounds?: BoundsChange;
}

export type Amendment = Partial<Omit<Registration, 'type'>>;

export function buildClient(registration: Registration, secret: Secret | undefined, now: Date): Client {
  return {
    name: registration.name,
    type: registration.type ?? 'confidential',
    scopes: registration.scopes,
    redirectUris: registration.redirectUris ?? [],
    thirdParty: registration.thirdParty ?? false,
    origins: registration.origins ?? [],
    bounds: changeBounds(null, registration.bounds),
    secrets: secret ? [secret] : [],
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    changedAt: now.getTime(),
    revision: 1,
    deletedAt: null,
  };
}

export function buildSecret(id: string, hash: string, now: Date): Secret {
  return {
    id,
    hash,
    createdAt: now.toISOString(),
    lastUsedAt: null,
  };
}

export function amend<T extends Client>(client: T, change: Amendment, now: Date): T {
  const { name, scopes, redirectUris, thirdParty, origins } = { ...client, ...change };
  const bounds = changeBounds(client.bounds, change.bounds);
  return applyChange(client, { name, scopes, redirectUris, thirdParty, origins, bounds }, now);
}

const applyChange = <T extends Client>(client: T, change: Partial<Client>, now: Date): T => ({
  ...client,
  ...change,
  updatedAt: now.toISOString(),
  changedAt: now.getTime(),
  revision: client.revision + 1,
});

export function addSecret<T extends Client>(client: T, secret: Secret, now: Date): T | Refusal {
  if (client.type === 'public') return 'public_client';
  return client.secrets.length >= MAX_SECRETS
    ? 'client_too_many_secrets'
    : applyChange(client, { secrets: [...client.secrets, secret] }, now);
}

export function removeSecret<T extends Client>(client: T, secretId: string, now: Date): T | Refusal {
  const secrets = client.secrets.filter(({ id }) => id !== secretId);
  if (secrets.length === client.secrets.length) return 'unknown_secret';
  return secrets.length === 0 ? 'client_last_secret' : applyChange(client, { secrets }, now);
}

/** The remaining document of a deleted client: no scopes, secrets, redirect URIs and origins. */
export function markClientDeleted<T extends Client>(client: T, now: Date): T {
  return applyChange(
    client,
    { scopes: [], secrets: [], redirectUris: [], origins: [], deletedAt: now.toISOString() },
    now,
  );
}

/** Accuracy of `lastUsedAt`: a secret in constant use causes one write per interval. Milliseconds. */
const LAST_USED_COARSENESS_MS = 300_000;

export function isUseDue(secret: Secret, at: number): boolean {
  return secret.lastUsedAt === null || at - Date.parse(secret.lastUsedAt) >= LAST_USED_COARSENESS_MS;
}

/** Records the use of a secret; undefined if no write is due. */
export function recordUse<T extends Client>(client: T, secretId: string, at: Date): T | undefined {
  const secret = client.secrets.find(({ id }) => id === secretId);
  if (!secret || !isUseDue(secret, at.getTime())) return undefined;
  const used = { ...secret, lastUsedAt: at.toISOString() };
  return { ...client, secrets: client.secrets.map((other) => (other === secret ? used : other)) };
}

/** Longest redirect URI of a client (RFC 6749, 3.1.2; RFC 8252, 7; RFC 9700, 2.1). */
export const LONGEST_URI = 2_000;

/** An http URI of a loopback host, split at its port; userinfo cannot match (RFC 8252, 7.3). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/;

/** Equal to the letter, nothing decoded first, except that any port of a loopback host matches (RFC 8252, 7.3). */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const own = parseLoopback(uri);
  return (
    own !== undefined &&
    registered.some((one) => {
      const known = parseLoopback(one);
      return known !== undefined && known.host === own.host && known.rest === own.rest;
    })
  );
}

const parseLoopback = (uri: string): { readonly host: string; readonly rest: string } | undefined => {
  const [matches, host = '', port, rest = ''] = LOOPBACK.exec(uri) ?? [];
  if (matches === undefined || (port !== undefined && (Number(port) === 0 || Number(port) > 65_535))) return undefined;
  return { host, rest };
};

/** Whether another application of the same device could receive what is sent there (RFC 8252, 8.6; RFC 9700, 4.14). */
export function isClaimable(uri: string): boolean {
  return !uri.startsWith('https://');
}

/** The redirect URI with these parameters added to its query; absent ones are left out (RFC 6749, 4.1.2). */
export function addParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
  if (added === '') return uri;
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${separator}${added}`;
}
