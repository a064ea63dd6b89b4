import type { Store } from '@boxoffice/store';
import type { BarcodeKeyDocument } from '../store.ts';
import { openKeyChain, type PublicKey, publicKey } from './key-chain.ts';
import type { BarcodeKey } from './short.ts';

/** How long an instance caches the signing key, in milliseconds. */
const KNOWN_MS = 5_000;

interface Loaded {
  readonly key: BarcodeKey;
  readonly current: BarcodeKeyDocument;
  readonly others: readonly BarcodeKeyDocument[];
}

/**
 * The barcode keys in the store. Concurrent instances create the first key once. If SERVICE_SECRET has changed, so
 * that no stored private key can be decrypted, the next generation is created; the older public keys stay valid.
 * `now`: epoch milliseconds.
 */
export const createBarcodeKeys = (store: Store, serviceSecret: string, now: () => number = Date.now) => {
  const chain = openKeyChain(store, serviceSecret);
  const known = new Map<string, { readonly at: number; readonly loading: Promise<Loaded> }>();

  const load = async (institution: string): Promise<Loaded> => {
    for (;;) {
      const all = await chain.all(institution);
      for (const current of all) {
        const key = chain.open(current);
        if (key) return { key, current, others: all.filter((document) => document !== current) };
      }
      // The next pass reads the new key, whether this process or another has created it.
      await chain.add(institution, all[0]);
    }
  };

  const reload = (institution: string): Promise<Loaded> => {
    const entry = { at: now(), loading: load(institution) };
    known.set(institution, entry);
    entry.loading.catch(() => known.get(institution) === entry && known.delete(institution));
    return entry.loading;
  };

  return {
    /**
     * The key that signs an institution's barcodes, created on first use. A rotation takes effect within five seconds.
     */
    async signing(institution: string): Promise<BarcodeKey> {
      const entry = known.get(institution);
      const fresh = entry && now() - entry.at < KNOWN_MS;
      return (await (fresh ? entry.loading : reload(institution))).key;
    },
    /** The public keys of valid barcodes, the current one first, read from the store. */
    async published(institution: string): Promise<readonly [PublicKey, ...PublicKey[]]> {
      const { current, others } = await reload(institution);
      return [publicKey(current), ...others.map(publicKey)];
    },
  };
};

export type BarcodeKeys = ReturnType<typeof createBarcodeKeys>;

/**
 * Creates the next key pair of an institution's barcodes and returns its public key. Services sign with it within five
 * seconds; older barcodes stay valid. For operators: `store` is the store of the tickets service, `serviceSecret` the
 * SERVICE_SECRET of the installation. Scanners get the new key when they next fetch the verification keys.
 */
export const rotateBarcodeKey = async (
  store: Store,
  serviceSecret: string,
  institution: string,
): Promise<PublicKey> => {
  const chain = openKeyChain(store, serviceSecret);
  for (;;) {
    const [newest] = await chain.all(institution);
    const added = await chain.add(institution, newest);
    if (added) return publicKey(added);
  }
};
