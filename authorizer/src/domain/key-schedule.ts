/** The time from which a key signs. Each generation is one key. */
export interface KeySchedule {
  readonly generation: number;
  /** Epoch milliseconds. */
  readonly signsFrom: number;
}

/** Milliseconds. By then every instance (KEY_REFRESH_MS) and every verifier (KEY_DOCUMENT_SECONDS) has read the key. */
export const PUBLISH_AHEAD_MS = 30_000;

/** Part of the five seconds within which a withdrawn key must stop working. */
export const KEY_REFRESH_MS = 1_000;

/** Minimum time between two reads of the keys because of an unknown key id. Milliseconds. */
export const UNKNOWN_KEY_COOLDOWN_MS = 100;

/** How long verifiers may cache the key document. Seconds. */
export const KEY_DOCUMENT_SECONDS = 15;

/** How much longer than the longest token lifetime a replaced key stays published. Milliseconds. */
export const OVERLAP_SPARE_MS = 300_000;

/** The signing key at that time: the newest one whose `signsFrom` has passed. */
export function selectSigningKey<K extends KeySchedule>(keys: readonly K[], now: number): K | undefined {
  return keys.filter((key) => key.signsFrom <= now).sort(newestFirst)[0];
}

const newestFirst = (a: KeySchedule, b: KeySchedule): number => b.generation - a.generation;

/** Newest first: future keys, the signing key, and keys whose last token may still be valid. */
export function selectPublishedKeys<K extends KeySchedule>(
  keys: readonly K[],
  now: number,
  longestLifetimeMs: number,
): K[] {
  const ordered = [...keys].sort(newestFirst);
  return ordered.filter((_key, position) => {
    const successor = ordered[position - 1];
    return !successor || successor.signsFrom + longestLifetimeMs + OVERLAP_SPARE_MS > now;
  });
}
