/** When a key begins to sign; generations are numbered upwards, one key each. */
export interface KeyLife {
  readonly generation: number;
  /** Epoch milliseconds. */
  readonly signsFrom: number;
}

/**
 * A new key is published so long before it signs, in milliseconds: every instance and every verifier has read it by then
 * (instances read the keys every KEY_REFRESH_MS, documents are cached for KEY_DOCUMENT_SECONDS).
 */
export const PUBLISH_AHEAD_MS = 30_000;

/** How often an instance reads the keys, in milliseconds: a share of the five seconds in which a withdrawn key must end everywhere. */
export const KEY_REFRESH_MS = 1_000;

/** Least time between two reads of the keys that tokens of an unknown key cause, in milliseconds. */
export const UNKNOWN_KEY_COOLDOWN_MS = 100;

/** How long a reader may cache the key document, in seconds. */
export const KEY_DOCUMENT_SECONDS = 15;

/** A key that no longer signs stays published so much longer than the longest token life, in milliseconds. */
export const OVERLAP_SPARE_MS = 300_000;

const newestFirst = (a: KeyLife, b: KeyLife): number => b.generation - a.generation;

/** The key that signs at that time: the newest whose time has come. */
export const signing = <K extends KeyLife>(keys: readonly K[], now: number): K | undefined =>
  keys.filter((key) => key.signsFrom <= now).sort(newestFirst)[0];

/**
 * The keys to publish at that time, newest first: those that will sign, the one that signs, and those whose last token may live still.
 */
export const published = <K extends KeyLife>(keys: readonly K[], now: number, longestLifeMs: number): K[] => {
  const ordered = [...keys].sort(newestFirst);
  return ordered.filter((_key, position) => {
    const successor = ordered[position - 1];
    return !successor || successor.signsFrom + longestLifeMs + OVERLAP_SPARE_MS > now;
  });
};
