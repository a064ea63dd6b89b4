/** The members of an API key that its institution sets; null is absent. */
export interface ApiKeyDetails {
  readonly name: string;
  /** Web origins that may use it, as browsers send them; empty: any. */
  readonly origins: readonly string[];
  readonly ratePerMinute: number;
  /** Requests per calendar month, UTC. */
  readonly monthlyQuota: number | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string | null;
}

export interface ApiKey extends ApiKeyDetails {
  /** SHA-256 of the key, base64url. */
  readonly hash: string;
  /** The last characters of the key, by which people recognise it. */
  readonly hint: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Epoch milliseconds of the last change. */
  readonly changedAt: number;
  /** Incremented by each change, but not by the key's use. */
  readonly revision: number;
  /** Null until deleted. A deleted key keeps its document, so that its usage keeps a name. */
  readonly deletedAt: string | null;
}

export const DEFAULT_RATE_PER_MINUTE = 600;

const HINT_CHARACTERS = 4;

export function buildApiKey(details: ApiKeyDetails, key: string, hash: string, now: Date): ApiKey {
  return {
    ...details,
    hash,
    hint: key.slice(-HINT_CHARACTERS),
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    changedAt: now.getTime(),
    revision: 1,
    deletedAt: null,
  };
}

export function amendApiKey<T extends ApiKey>(apiKey: T, change: Partial<ApiKeyDetails>, now: Date): T {
  return {
    ...apiKey,
    ...change,
    updatedAt: now.toISOString(),
    changedAt: now.getTime(),
    revision: apiKey.revision + 1,
  };
}

/** The remaining document of a deleted key: it names no origin any more. */
export function markApiKeyDeleted<T extends ApiKey>(apiKey: T, now: Date): T {
  return {
    ...amendApiKey(apiKey, { origins: [] }, now),
    deletedAt: now.toISOString(),
  };
}

/** Whether the key can be used at `now` (epoch milliseconds). */
export function isUsable({ deletedAt, expiresAt }: ApiKey, now: number): boolean {
  return deletedAt === null && (expiresAt === null || Date.parse(expiresAt) > now);
}

/** Whether a change sets an instant of expiry that has passed; the one that the key has already may stay. */
export function hasPastExpiry(
  { expiresAt = null }: Partial<ApiKeyDetails>,
  now: number,
  present: string | null = null,
): boolean {
  return (
    expiresAt !== null &&
    Date.parse(expiresAt) <= now &&
    (present === null || Date.parse(present) !== Date.parse(expiresAt))
  );
}

/** The calendar month of an instant (epoch milliseconds), UTC: `2027-03`. */
export function formatMonth(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}
