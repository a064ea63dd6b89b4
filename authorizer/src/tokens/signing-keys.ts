import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type KeySet, SIGNATURE_ALGORITHM, type SigningKey } from '@boxoffice/identity';
import { deriveSealingKey, StartFault, seal, unseal } from '@boxoffice/runtime';
import { insertUnlessTaken, type New, type Store } from '@boxoffice/store';
import {
  PUBLISH_AHEAD_MS,
  selectPublishedKeys,
  selectSigningKey,
  UNKNOWN_KEY_COOLDOWN_MS,
} from '../domain/key-schedule.ts';
import { getSigningKeys, type KeyDocument } from '../store.ts';

/** What an operator does after losing KEY_ENCRYPTION_KEY; `where` names what to restore. */
export function describeRecovery(where: string): string {
  return `restore ${where}; if it is lost for good, put a new one there and run npm run operator -- keys rotate --compromised`;
}

export class WrongKeyEncryptionKey extends StartFault {
  override readonly name = 'WrongKeyEncryptionKey';
  constructor(where = 'the setting') {
    super(
      `KEY_ENCRYPTION_KEY: is not the one that the stored signing keys are encrypted under: ${describeRecovery(where)}`,
    );
  }
}

interface KeySummary {
  readonly kid: string;
  readonly generation: number;
  /** ISO 8601 UTC: when this key replaces its predecessor for signing. */
  readonly signsFrom: string;
  readonly createdAt: string;
}

interface KeyOptions {
  readonly secret: string;
  readonly now?: () => number;
}

export async function listKeys(store: Store): Promise<KeySummary[]> {
  const keys = await getSigningKeys(store).find();
  return keys.sort((a, b) => b.generation - a.generation).map(summarise);
}

const summarise = (key: Pick<KeyDocument, 'kid' | 'generation' | 'signsFrom' | 'createdAt'>): KeySummary => ({
  kid: key.kid,
  generation: key.generation,
  signsFrom: new Date(key.signsFrom).toISOString(),
  createdAt: key.createdAt,
});

/** Creates the installation's first key, which signs at once. Concurrent instances create one key. */
export async function ensureFirstKey(store: Store, { secret, now = Date.now }: KeyOptions): Promise<void> {
  if ((await getSigningKeys(store).find({ limit: 1 })).length > 0) return;
  await insertUnlessTaken(getSigningKeys(store), makeKey(secret, 1, now(), now()));
}

const makeKey = (secret: string, generation: number, signsFrom: number, now: number): New<KeyDocument> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' }) as Record<string, string>;
  const kid = computeThumbprint({ kty, crv, x, y });
  return {
    id: toId(generation),
    generation,
    signsFrom,
    kid,
    jwk: { kty: String(kty), crv: String(crv), x: String(x), y: String(y), kid, use: 'sig', alg: SIGNATURE_ALGORITHM },
    sealed: seal(deriveKey(secret), kid, privateKey.export({ type: 'pkcs8', format: 'der' })),
    createdAt: new Date(now).toISOString(),
  };
};

/** The thumbprint of a public EC key (RFC 7638). */
const computeThumbprint = ({ crv, kty, x, y }: Record<string, unknown>): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

/** Padded, so that generations sort as text. */
const toId = (generation: number): string => `key-${String(generation).padStart(8, '0')}`;

const deriveKey = (secret: string): Buffer => deriveSealingKey(secret, 'signing keys at rest');

interface RotationOptions extends KeyOptions {
  /** The next key signs at once, and tokens of older keys are refused within five seconds. */
  readonly compromised?: boolean;
}

/**
 * Returns the newest, published at once, signing after PUBLISH_AHEAD_MS. Two concurrent rotations create one key.
 * @throws {WrongKeyEncryptionKey} when the secret does not decrypt the current key, unless that is compromised
 */
export async function rotateKeys(store: Store, options: RotationOptions): Promise<KeySummary> {
  const { secret, now = Date.now, compromised = false } = options;
  const documents = await getSigningKeys(store).find();
  const before = documents.sort((a, b) => b.generation - a.generation);
  const current = before[0];
  // Running instances could not decrypt a key that is encrypted under another secret.
  if (current && !compromised) openSigningKey(deriveKey(secret), current.kid, current.sealed);
  const ordinary = current ? Math.max(now() + PUBLISH_AHEAD_MS, current.signsFrom) : now();
  const next = makeKey(secret, (current?.generation ?? 0) + 1, compromised ? now() : ordinary, now());
  const made = await insertUnlessTaken(getSigningKeys(store), next);
  // The concurrently created key signs later, or existed before the compromise was known: it cannot replace this one.
  if (!made && compromised) return rotateKeys(store, options);
  for (const { generation } of compromised ? before : []) await getSigningKeys(store).delete(toId(generation));
  return (await listKeys(store))[0] as KeySummary;
}

/** @throws {WrongKeyEncryptionKey} if the secret is another one or the ciphertext was changed */
const openSigningKey = (key: Buffer, kid: string, sealed: string): Buffer => {
  const opened = unseal(key, kid, sealed);
  if (!opened) throw new WrongKeyEncryptionKey();
  return opened;
};

interface KeyRingOptions {
  readonly store: Store;
  readonly secret: string;
  /** The longest lifetime of a token signed by these keys. Milliseconds. */
  readonly longestLifetimeMs: number;
  readonly now?: () => number;
}

interface LoadedKey extends Pick<KeyDocument, 'kid' | 'generation' | 'signsFrom' | 'jwk'> {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type KeyRing = ReturnType<typeof createKeyRing>;

/** Makes the key ring of an instance; empty until loaded. */
export function createKeyRing({ store, secret, longestLifetimeMs, now = Date.now }: KeyRingOptions) {
  const key = deriveKey(secret);
  let loaded: readonly LoadedKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let pendingRead: Promise<void> | undefined;

  const open = (document: KeyDocument): LoadedKey => {
    const { kid, generation, signsFrom, jwk } = document;
    const known = loaded.find((other) => other.kid === kid);
    if (known) return known;
    const privateKey = createPrivateKey({
      key: openSigningKey(key, kid, document.sealed),
      format: 'der',
      type: 'pkcs8',
    });
    return { kid, generation, signsFrom, jwk, privateKey, publicKey: createPublicKey(privateKey) };
  };

  const read = async (): Promise<void> => {
    readAt = now();
    let documents = await getSigningKeys(store).find();
    if (documents.length === 0) {
      await ensureFirstKey(store, { secret, now });
      documents = await getSigningKeys(store).find();
    }
    // Keys that are no longer published verify nothing and need not be decrypted.
    loaded = selectPublishedKeys(documents, now(), longestLifetimeMs).map(open);
  };
  /** Creates the first key if there is none. Reads do not overlap: a slow one must not restore a withdrawn key. */
  const load = (): Promise<void> => {
    pendingRead ??= read().finally(() => {
      pendingRead = undefined;
    });
    return pendingRead;
  };

  const publicKey = (kid: string): KeyObject | undefined =>
    selectPublishedKeys(loaded, now(), longestLifetimeMs).find((other) => other.kid === kid)?.publicKey;

  /** The published keys, for this service's own verification; an unknown key id causes a read of the store. */
  const keySet: KeySet = {
    refresh: load,
    key: async (kid) => {
      const known = publicKey(kid);
      if (known || (!pendingRead && now() - readAt < UNKNOWN_KEY_COOLDOWN_MS)) return known;
      // Another instance may have signed with a key that was created a moment ago.
      await load();
      return publicKey(kid);
    },
  };

  return {
    load,
    keySet,
    /** The current signing key. @throws {Error} before the first `load` */
    signing: (): SigningKey => {
      const current = selectSigningKey(loaded, now());
      if (!current) throw new Error('no signing key is loaded');
      return current;
    },
    /** The public keys to publish (RFC 7517, 4). */
    jwks: () => ({ keys: selectPublishedKeys(loaded, now(), longestLifetimeMs).map(({ jwk }) => jwk) }),
  };
}
