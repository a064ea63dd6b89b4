import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { deriveSealingKey, seal, unseal } from '@boxoffice/runtime';
import { insertUnlessTaken, type Store } from '@boxoffice/store';
import type { Static } from 'typebox';
import type { Jwk } from '../schemas.ts';
import { type BarcodeKeyDocument, barcodeKeysCollection } from '../store.ts';
import type { BarcodeKey } from './barcode.ts';

type PublicKey = Static<typeof Jwk>;

/** Milliseconds for which an instance caches the signing key. */
const KNOWN_MS = 5_000;

interface Loaded {
  readonly key: BarcodeKey;
  readonly current: BarcodeKeyDocument;
  readonly others: readonly BarcodeKeyDocument[];
}

/**
 * Concurrent instances create the first key once. If SERVICE_SECRET has changed, so that no stored private key can be
 * decrypted, the next generation is created; the older public keys stay valid.
 */
export function createBarcodeKeys(store: Store, serviceSecret: string, now: () => number = Date.now) {
  const chain = openKeyChain(store, serviceSecret);
  const known = new Map<string, { readonly at: number; readonly loading: Promise<Loaded> }>();

  const load = async (institution: string): Promise<Loaded> => {
    for (;;) {
      const all = await chain.all(institution);
      for (const current of all) {
        const key = chain.open(current);
        if (key) return { key, current, others: all.filter((document) => document !== current) };
      }
      // The next pass reads the key that this process or another has created.
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
    /** Creates the key on first use. A rotation takes effect within five seconds. */
    async signing(institution: string): Promise<BarcodeKey> {
      const entry = known.get(institution);
      const fresh = entry && now() - entry.at < KNOWN_MS;
      return (await (fresh ? entry.loading : reload(institution))).key;
    },
    /** The current key comes first; read from the store. */
    async findPublishedKeys(institution: string): Promise<readonly [PublicKey, ...PublicKey[]]> {
      const { current, others } = await reload(institution);
      return [toPublicKey(current), ...others.map(toPublicKey)];
    },
  };
}

/** Their private halves are encrypted. */
const openKeyChain = (store: Store, serviceSecret: string) => {
  const collection = store.collection(barcodeKeysCollection);
  // Every service has SERVICE_SECRET; the encryption key of the authorizer's signing keys stays private to it.
  const sealing = deriveSealingKey(serviceSecret, 'barcode keys at rest');

  const nameKey = (institution: string, { generation, kid }: Pick<BarcodeKeyDocument, 'generation' | 'kid'>) =>
    `${institution} ${generation} ${kid}`;

  return {
    /** The newest comes first. */
    async all(institution: string): Promise<BarcodeKeyDocument[]> {
      const stored = await collection.of(institution).find();
      return stored.sort((one, other) => other.generation - one.generation);
    },
    /** Undefined if it was encrypted under another SERVICE_SECRET. */
    open(document: BarcodeKeyDocument): BarcodeKey | undefined {
      const key = unseal(sealing, nameKey(document.institution, document), document.sealed);
      return key && { kid: document.kid, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
    },
    /** Undefined if a concurrent process has created the generation. */
    async add(institution: string, newest: BarcodeKeyDocument | undefined): Promise<BarcodeKeyDocument | undefined> {
      const generation = (newest?.generation ?? 0) + 1;
      const pair = generateKeyPairSync('ed25519');
      const x = String(pair.publicKey.export({ format: 'jwk' }).x);
      const kid = deriveKid(x);
      const plain = pair.privateKey.export({ type: 'pkcs8', format: 'der' });
      return insertUnlessTaken(collection.of(institution), {
        id: `${institution} ${generation}`,
        generation,
        kid,
        x,
        sealed: seal(sealing, nameKey(institution, { generation, kid }), plain),
        createdAt: new Date().toISOString(),
      });
    },
  };
};

/** It is short, since every barcode contains it (RFC 7638). */
const deriveKid = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
    .slice(0, 6);

const toPublicKey = ({ kid, x }: BarcodeKeyDocument): PublicKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  alg: 'EdDSA',
  use: 'sig',
});

export type BarcodeKeys = ReturnType<typeof createBarcodeKeys>;

/**
 * For operators; returns the public key. Services sign with it within five seconds; older barcodes stay valid. Scanners
 * get the key when they next fetch the verification keys.
 */
export async function rotateBarcodeKey(store: Store, serviceSecret: string, institution: string): Promise<PublicKey> {
  const chain = openKeyChain(store, serviceSecret);
  for (;;) {
    const [newest] = await chain.all(institution);
    const added = await chain.add(institution, newest);
    if (added) return toPublicKey(added);
  }
}
