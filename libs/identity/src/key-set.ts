import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { SIGNATURE_ALGORITHM } from './constants.ts';

/** The authorizer's public keys, as its key document last said. */
export interface KeySet {
  /**
   * The key of that id. An unknown id refetches the document once per cooldown, for all callers together; undefined if it
   * is not there either. Rejects with Fault `service_unavailable` if nobody can tell because the authorizer does not answer.
   */
  key(kid: string): Promise<KeyObject | undefined>;
  /** Fetches the document now; rejects if that fails, and keeps the keys known so far. */
  refresh(): Promise<void>;
}

export interface KeySetOptions {
  /** Address of the key document (RFC 7517). */
  readonly url: string;
  /** Least time between two fetches that unknown ids cause, in milliseconds. */
  readonly cooldownMs?: number;
  /** Age after which known keys are fetched again in the background, so that withdrawn ones go. */
  readonly maxAgeMs?: number;
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Least time between two attempts while the document cannot be had: a service that starts before the authorizer waits no longer. */
const RETRY_MS = 500;

/** More keys than any rotation leaves behind; a longer document is cut. */
const MAX_KEYS = 32;

const usable = (key: JsonWebKey): boolean =>
  key.kty === 'EC' &&
  key.crv === 'P-256' &&
  typeof key.kid === 'string' &&
  (key.alg === undefined || key.alg === SIGNATURE_ALGORITHM) &&
  (key.use === undefined || key.use === 'sig');

/** The keys of a JWK Set (RFC 7517, 5) that can verify ES256; others are skipped, as the RFC wants. */
export const readKeys = (document: unknown): Map<string, KeyObject> => {
  const listed = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed)) throw new Error('the key document has no keys');
  const keys = (listed as JsonWebKey[]).filter((key) => typeof key === 'object' && key !== null && usable(key));
  return new Map(
    keys.slice(0, MAX_KEYS).map((key) => {
      const { kty, crv, x, y } = key;
      return [String(key.kid), createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })];
    }),
  );
};

/** Keeps the keys of a key document: single-flight fetches, a cooldown against unknown ids, old keys while it cannot be had. */
export const createKeySet = (options: KeySetOptions): KeySet => {
  const { url, cooldownMs = 5_000, maxAgeMs = 300_000, timeoutMs = 3_000 } = options;
  const { fetch = globalThis.fetch, now = Date.now } = options;
  let keys = new Map<string, KeyObject>();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failed = true;
  let underway: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    triedAt = now();
    failed = true;
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    if (!response.ok) throw new Error(`the key document answered ${response.status}`);
    keys = readKeys(await response.json());
    fetchedAt = now();
    failed = false;
  };
  const refresh = (): Promise<void> => {
    underway ??= load().finally(() => {
      underway = undefined;
    });
    return underway;
  };

  return {
    refresh,
    key: async (kid) => {
      const known = keys.get(kid);
      if (known) {
        // In the background: a verification never waits for a key that it has. Stale on error.
        if (now() - fetchedAt > maxAgeMs && now() - triedAt > cooldownMs) refresh().catch(() => undefined);
        return known;
      }
      if (underway || now() - triedAt > (failed ? RETRY_MS : cooldownMs)) await refresh().catch(() => undefined);
      const found = keys.get(kid);
      // The last attempt failed: the key may exist, and nobody may be told otherwise.
      if (!found && failed) {
        throw new Fault('service_unavailable', 'The keys of the authorizer cannot be had at the moment.', {
          'Retry-After': '1',
        });
      }
      return found;
    },
  };
};
