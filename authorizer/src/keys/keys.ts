import { createHash, generateKeyPairSync } from 'node:crypto';
import { SIGNATURE_ALGORITHM } from '@boxoffice/identity';
import { seal } from '@boxoffice/runtime';
import { type New, type Store, UniqueViolation } from '@boxoffice/store';
import { PUBLISH_AHEAD_MS } from '../domain/key-life.ts';
import { type KeyDocument, keysOf } from '../store.ts';
import { encryptionKey, openSigningKey } from './encryption.ts';

/** A signing key as an operator sees it. */
export interface KeySummary {
  readonly kid: string;
  readonly generation: number;
  /** ISO 8601 UTC: when it begins to sign, and ends its predecessor. */
  readonly signsFrom: string;
  readonly createdAt: string;
}

const summary = (key: Pick<KeyDocument, 'kid' | 'generation' | 'signsFrom' | 'createdAt'>): KeySummary => ({
  kid: key.kid,
  generation: key.generation,
  signsFrom: new Date(key.signsFrom).toISOString(),
  createdAt: key.createdAt,
});

/** Generations sort as texts too. */
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

/** Stores the key unless another process has just stored one of the same generation. */
const insertOnce = async (store: Store, key: New<KeyDocument>): Promise<boolean> => {
  try {
    await keysOf(store).insert(key);
    return true;
  } catch (error) {
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
};

export interface KeyOptions {
  /** KEY_ENCRYPTION_KEY. */
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Every stored key, newest first. */
export const listKeys = async (store: Store): Promise<KeySummary[]> => {
  const keys = await keysOf(store).find();
  return keys.sort((a, b) => b.generation - a.generation).map(summary);
};

/** Makes the installation's first key, which signs at once. However many instances start together, one key is made. */
export const ensureFirstKey = async (store: Store, { secret, now = Date.now }: KeyOptions): Promise<void> => {
  if ((await keysOf(store).find({ limit: 1 })).length > 0) return;
  await insertOnce(store, makeKey(secret, 1, now(), now()));
};

export interface RotationOptions extends KeyOptions {
  /** The current key is no longer trusted: the next one signs at once, and what older ones signed is refused within five seconds. */
  readonly compromised?: boolean;
}

/**
 * Makes the next key. It is published at once and signs from half a minute later on; its predecessor stays published past the longest
 * token life. Two rotations at once are one. Answers the newest key.
 * @throws {WrongKeyEncryptionKey} when the secret does not open the current key, unless that is compromised
 */
export const rotateKeys = async (store: Store, options: RotationOptions): Promise<KeySummary> => {
  const { secret, now = Date.now, compromised = false } = options;
  const documents = await keysOf(store).find();
  const before = documents.sort((a, b) => b.generation - a.generation);
  const current = before[0];
  // Running instances could not open a key that is encrypted under another secret than theirs.
  if (current && !compromised) openSigningKey(encryptionKey(secret), current.kid, current.sealed);
  const ordinary = current ? Math.max(now() + PUBLISH_AHEAD_MS, current.signsFrom) : now();
  const next = makeKey(secret, (current?.generation ?? 0) + 1, compromised ? now() : ordinary, now());
  const made = await insertOnce(store, next);
  // The other one waits before it signs, or was there before this key was distrusted: it is no replacement.
  if (!made && compromised) return rotateKeys(store, options);
  for (const { generation } of compromised ? before : []) await keysOf(store).delete(idOf(generation));
  return (await listKeys(store))[0] as KeySummary;
};
