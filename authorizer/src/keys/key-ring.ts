import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { KeySet, SigningKey } from '@boxoffice/identity';
import type { Store } from '@boxoffice/store';
import { published, signing, UNKNOWN_KEY_COOLDOWN_MS } from '../domain/key-schedule.ts';
import { type KeyDocument, keysOf } from '../store.ts';
import { encryptionKey, openSigningKey } from './encryption.ts';
import { ensureFirstKey } from './keys.ts';

interface KeyRingOptions {
  readonly store: Store;
  /** KEY_ENCRYPTION_KEY. */
  readonly secret: string;
  /** The longest lifetime of a token signed by these keys. Milliseconds. */
  readonly longestLifetimeMs: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

interface LoadedKey extends Pick<KeyDocument, 'kid' | 'generation' | 'signsFrom' | 'jwk'> {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The signing keys in the memory of one instance. */
export type KeyRing = ReturnType<typeof createKeyRing>;

/** Makes the key ring of an instance; empty until loaded. */
export const createKeyRing = ({ store, secret, longestLifetimeMs, now = Date.now }: KeyRingOptions) => {
  const key = encryptionKey(secret);
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
    let documents = await keysOf(store).find();
    if (documents.length === 0) {
      await ensureFirstKey(store, { secret, now });
      documents = await keysOf(store).find();
    }
    // Keys that are no longer published verify nothing and need not be decrypted.
    loaded = published(documents, now(), longestLifetimeMs).map(open);
  };
  /**
   * Reads the keys from the store; creates the first key if there is none. Reads do not overlap, so that a slow read from
   * before a withdrawal cannot restore the key.
   */
  const load = (): Promise<void> => {
    pendingRead ??= read().finally(() => {
      pendingRead = undefined;
    });
    return pendingRead;
  };

  const publicKey = (kid: string): KeyObject | undefined =>
    published(loaded, now(), longestLifetimeMs).find((other) => other.kid === kid)?.publicKey;

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
      const current = signing(loaded, now());
      if (!current) throw new Error('no signing key is loaded');
      return current;
    },
    /** The public keys to publish (RFC 7517, 4). */
    jwks: () => ({ keys: published(loaded, now(), longestLifetimeMs).map(({ jwk }) => jwk) }),
  };
};
