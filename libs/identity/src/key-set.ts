import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { createHttpClient } from '@boxoffice/runtime';

/** The one signature algorithm of access and identity tokens; verifiers pin it. */
export const SIGNATURE_ALGORITHM = 'ES256';

/** Where the authorizer publishes the keys of both kinds of token (RFC 7517). */
export const JWKS_PATH = '/auth/jwks';

export interface KeySet {
  /** An unknown id refetches the document once per cooldown. Rejects with `service_unavailable` if it may exist. */
  key(kid: string): Promise<KeyObject | undefined>;
  refresh(): Promise<void>;
}

interface KeySetOptions {
  readonly url: string;
  readonly cooldownMs?: number;
  /** Maximum age of the document when a key is returned; from half of it on it is refetched in the background. */
  readonly maxAgeMs?: number;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** With the gateway's cache of verifications well below the five seconds in which a withdrawn key must end. */
const MAX_AGE_MS = 2_000;

/** The longest delay before a newly active key is known here. */
const COOLDOWN_MS = 1_000;

/** Between two attempts while the document is unavailable. */
const RETRY_MS = 500;

/** For so long after a failed attempt a cached key of any age is used without waiting. */
const PATIENCE_MS = 5_000;

/** More keys than any rotation leaves behind; a longer document is truncated. */
const MAX_KEYS = 32;

/** Fetches are single-flight; old keys stay while the document is unavailable. */
export function createKeySet(options: KeySetOptions): KeySet {
  const { url, cooldownMs = COOLDOWN_MS, maxAgeMs = MAX_AGE_MS, timeoutMs, now = Date.now } = options;
  const send = createHttpClient(url);
  const path = new URL(url).pathname;
  let keys = new Map<string, KeyObject>();
  let document: string | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let failed = true;
  let underway: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    const at = now();
    triedAt = at;
    failed = true;
    const { status, text } = await send({ path, timeoutMs });
    if (status !== 200) throw new Error(`the key document answered ${status}`);
    if (text !== document) keys = readKeys(JSON.parse(text));
    document = text;
    // The answer's content may be as old as the request.
    fetchedAt = at;
    failed = false;
  };
  const refresh = (): Promise<void> => {
    underway ??= load()
      .catch((error: unknown) => {
        failedAt = now();
        throw error;
      })
      .finally(() => {
        underway = undefined;
      });
    return underway;
  };

  /** Refetches the document in time; returns a promise if the caller must wait for it. */
  const renew = (at: number): Promise<void> | undefined => {
    const age = at - fetchedAt;
    if (age <= maxAgeMs / 2 || (!underway && at - triedAt <= RETRY_MS)) return undefined;
    const renewed = refresh().catch(() => undefined);
    return age > maxAgeMs && at - failedAt > PATIENCE_MS ? renewed : undefined;
  };

  return {
    refresh,
    key: async (kid) => {
      const renewed = renew(now());
      if (renewed) await renewed;
      const known = keys.get(kid);
      if (known) return known;
      if (underway || now() - triedAt > (failed ? RETRY_MS : cooldownMs)) await refresh().catch(() => undefined);
      const found = keys.get(kid);
      // The last attempt failed: the key may exist, so its absence must not be reported.
      if (!found && failed) {
        throw new Fault('service_unavailable', 'The keys of the authorizer are not available at the moment.', {
          'Retry-After': '1',
        });
      }
      return found;
    },
  };
}

/** The keys of a JWK Set (RFC 7517, 5) that can verify ES256; others are skipped, as the RFC requires. */
const readKeys = (document: unknown): Map<string, KeyObject> => {
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

const usable = (key: JsonWebKey): boolean =>
  key.kty === 'EC' &&
  key.crv === 'P-256' &&
  typeof key.kid === 'string' &&
  (key.alg === undefined || key.alg === SIGNATURE_ALGORITHM) &&
  (key.use === undefined || key.use === 'sig');
