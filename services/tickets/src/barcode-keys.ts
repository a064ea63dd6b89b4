import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { type New, type Store, UniqueViolation } from '@boxoffice/store';
import type { BarcodeKey } from './barcode.ts';
import { seal, sealingKey, unseal } from './sealed.ts';
import { type BarcodeKeyDocument, barcodeKeysCollection } from './store.ts';

/** A public barcode key (RFC 8037, 2). */
export interface PublicKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** The key pairs of every institution. */
export interface BarcodeKeys {
  /** The key that signs an institution's barcodes; made at the first use, then kept in memory. */
  signing(institution: string): Promise<BarcodeKey>;
  /** The public keys whose barcodes are valid, the current one first. */
  published(institution: string): Promise<readonly [PublicKey, ...PublicKey[]]>;
}

/** The beginning of the key's thumbprint (RFC 7638): short, since it stands in every barcode. */
const kidOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
    .slice(0, 6);

const publicKey = ({ kid, x }: BarcodeKeyDocument): PublicKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  alg: 'EdDSA',
  use: 'sig',
});

/**
 * The barcode keys in the store. However many instances need the first key at once, one is made. Where SERVICE_SECRET was changed, so
 * that no stored private key can be opened, the next generation is made, and the older public keys stay valid.
 */
export const createBarcodeKeys = (store: Store, serviceSecret: string): BarcodeKeys => {
  const collection = store.collection(barcodeKeysCollection);
  const sealing = sealingKey(serviceSecret);
  const signing = new Map<string, Promise<BarcodeKey>>();

  const nameOf = (institution: string, { generation, kid }: Pick<BarcodeKeyDocument, 'generation' | 'kid'>) =>
    `${institution} ${generation} ${kid}`;

  const stored = async (institution: string): Promise<BarcodeKeyDocument[]> =>
    (await collection.of(institution).find()).sort((one, other) => other.generation - one.generation);

  const opened = (document: BarcodeKeyDocument): BarcodeKey | undefined => {
    const key = unseal(sealing, nameOf(document.institution, document), document.sealed);
    return key && { kid: document.kid, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
  };

  const make = (institution: string, generation: number): New<BarcodeKeyDocument> => {
    const pair = generateKeyPairSync('ed25519');
    const x = String(pair.publicKey.export({ format: 'jwk' }).x);
    const kid = kidOf(x);
    const plain = pair.privateKey.export({ type: 'pkcs8', format: 'der' });
    return {
      id: `${institution} ${generation}`,
      generation,
      kid,
      x,
      sealed: seal(sealing, nameOf(institution, { generation, kid }), plain),
      createdAt: new Date().toISOString(),
    };
  };

  const load = async (institution: string): Promise<BarcodeKey> => {
    for (;;) {
      const documents = await stored(institution);
      for (const document of documents) {
        const key = opened(document);
        if (key) return key;
      }
      const next = make(institution, (documents[0]?.generation ?? 0) + 1);
      // What another instance has just made is looked at in the next turn.
      await collection
        .of(institution)
        .insert(next)
        .catch((error: unknown) => {
          if (!(error instanceof UniqueViolation)) throw error;
        });
    }
  };

  const signingOf = (institution: string): Promise<BarcodeKey> => {
    const known = signing.get(institution);
    if (known) return known;
    const loading = load(institution);
    signing.set(institution, loading);
    loading.catch(() => signing.delete(institution));
    return loading;
  };

  return {
    signing: signingOf,
    async published(institution) {
      const { kid } = await signingOf(institution);
      const all = (await stored(institution)).map(publicKey);
      const [currents, others] = [all.filter((key) => key.kid === kid), all.filter((key) => key.kid !== kid)];
      const [current] = currents;
      if (!current) throw new Error('the barcode key in use is not in the store');
      return [current, ...others];
    },
  };
};
