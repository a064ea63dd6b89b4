// Signing keys: creation, rotation, encryption at rest, and their copy in memory.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { SIGNATURE_ALGORITHM } from '@boxoffice/identity';
import { seal } from '@boxoffice/runtime';
import type { New, Store } from '@boxoffice/store';
import { PUBLISH_AHEAD_MS } from '../domain/key-schedule.ts';
import { insertOnce, type KeyDocument, keysOf } from '../store.ts';
import { encryptionKey, openSigningKey } from './encryption.ts';

/** A signing key as operators see it. */
interface KeySummary {
  readonly kid: string;
  readonly generation: number;
  /** ISO 8601 UTC: when this key replaces its predecessor for signing. */
  readonly signsFrom: string;
  readonly createdAt: string;
}

const summary = (key: Pick<KeyDocument, 'kid' | 'generation' | 'signsFrom' | 'createdAt'>): KeySummary => ({
  kid: key.kid,
  generation: key.generation,
  signsFrom: new Date(key.signsFrom).toISOString(),
  createdAt: key.createdAt,
});

/** Padded, so that generations sort as text. */
const idOf = (generation: number): string => `key-${String(generation).padStart(8, '0')}`;

/** The thumbprint of a public EC key (RFC 7638). */
const thumbprint = ({ crv, kty, x, y }: Record<string, unknown>): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

const makeKey = (secret: string, generation: number, signsFrom: number, now: number): New<KeyDocument> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' }) as Record<string, string>;
  const kid = thumbprint({ kty, crv, x, y });
  return {
    id: idOf(generation),
    generation,
    signsFrom,
    kid,
    jwk: { kty: String(kty), crv: String(crv), x: String(x), y: String(y), kid, use: 'sig', alg: SIGNATURE_ALGORITHM },
    sealed: seal(encryptionKey(secret), kid, privateKey.export({ type: 'pkcs8', format: 'der' })),
    createdAt: new Date(now).toISOString(),
  };
};

interface KeyOptions {
  /** KEY_ENCRYPTION_KEY. */
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** All stored keys, newest first. */
export const listKeys = async (store: Store): Promise<KeySummary[]> => {
  const keys = await keysOf(store).find();
  return keys.sort((a, b) => b.generation - a.generation).map(summary);
};

/** Creates the installation's first key, which signs at once. Concurrent instances create one key. */
export const ensureFirstKey = async (store: Store, { secret, now = Date.now }: KeyOptions): Promise<void> => {
  if ((await keysOf(store).find({ limit: 1 })).length > 0) return;
  await insertOnce(keysOf(store), makeKey(secret, 1, now(), now()));
};

interface RotationOptions extends KeyOptions {
  /**
   * The current key is not trusted any more: the next one signs at once, and tokens of older keys are refused within
   * five seconds.
   */
  readonly compromised?: boolean;
}

/**
 * Creates the next key and returns the newest. It is published at once and signs after PUBLISH_AHEAD_MS; its
 * predecessor stays published past the longest token lifetime. Two concurrent rotations create one key.
 * @throws {WrongKeyEncryptionKey} when the secret does not decrypt the current key, unless that is compromised
 */
export const rotateKeys = async (store: Store, options: RotationOptions): Promise<KeySummary> => {
  const { secret, now = Date.now, compromised = false } = options;
  const documents = await keysOf(store).find();
  const before = documents.sort((a, b) => b.generation - a.generation);
  const current = before[0];
  // Running instances could not decrypt a key that is encrypted under another secret.
  if (current && !compromised) openSigningKey(encryptionKey(secret), current.kid, current.sealed);
  const ordinary = current ? Math.max(now() + PUBLISH_AHEAD_MS, current.signsFrom) : now();
  const next = makeKey(secret, (current?.generation ?? 0) + 1, compromised ? now() : ordinary, now());
  const made = await insertOnce(keysOf(store), next);
  // The concurrently created key signs later, or existed before the compromise was known: it cannot replace this one.
  if (!made && compromised) return rotateKeys(store, options);
  for (const { generation } of compromised ? before : []) await keysOf(store).delete(idOf(generation));
  return (await listKeys(store))[0] as KeySummary;
};
