import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { seal, sealingKey, unseal } from '@boxoffice/runtime';
import { type Store, UniqueViolation } from '@boxoffice/store';
import { type BarcodeKeyDocument, barcodeKeysCollection } from '../store.ts';
import type { BarcodeKey } from './short.ts';

/** A public barcode key (RFC 8037, 2). */
export interface PublicKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** The first characters of the key's thumbprint (RFC 7638): short, since every barcode contains it. */
const kidOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
    .slice(0, 6);

export const publicKey = ({ kid, x }: BarcodeKeyDocument): PublicKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  alg: 'EdDSA',
  use: 'sig',
});

/** The stored generations of institutions' barcode keys, their private halves encrypted. */
export const openKeyChain = (store: Store, serviceSecret: string) => {
  const collection = store.collection(barcodeKeysCollection);
  // Derived from SERVICE_SECRET, which every service has; the encryption key of the authorizer's signing keys stays
  // private to it.
  const sealing = sealingKey(serviceSecret, 'barcode keys at rest');

  const nameOf = (institution: string, { generation, kid }: Pick<BarcodeKeyDocument, 'generation' | 'kid'>) =>
    `${institution} ${generation} ${kid}`;

  return {
    /** All generations, the newest first. */
    async all(institution: string): Promise<BarcodeKeyDocument[]> {
      const stored = await collection.of(institution).find();
      return stored.sort((one, other) => other.generation - one.generation);
    },
    /** The private key; undefined if it was encrypted under another SERVICE_SECRET. */
    open(document: BarcodeKeyDocument): BarcodeKey | undefined {
      const key = unseal(sealing, nameOf(document.institution, document), document.sealed);
      return key && { kid: document.kid, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
    },
    /** Creates the generation after `newest` and stores it; undefined if a concurrent process has created it. */
    async add(institution: string, newest: BarcodeKeyDocument | undefined): Promise<BarcodeKeyDocument | undefined> {
      const generation = (newest?.generation ?? 0) + 1;
      const pair = generateKeyPairSync('ed25519');
      const x = String(pair.publicKey.export({ format: 'jwk' }).x);
      const kid = kidOf(x);
      const plain = pair.privateKey.export({ type: 'pkcs8', format: 'der' });
      try {
        return await collection.of(institution).insert({
          id: `${institution} ${generation}`,
          generation,
          kid,
          x,
          sealed: seal(sealing, nameOf(institution, { generation, kid }), plain),
          createdAt: new Date().toISOString(),
        });
      } catch (error) {
        if (error instanceof UniqueViolation) return undefined;
        throw error;
      }
    },
  };
};
