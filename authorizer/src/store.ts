import { type CollectionHandle, collection, type Document, type Store } from '@boxoffice/store';
import type { Client } from './domain/client.ts';
import type { KeyLife } from './domain/key-life.ts';

/** Its id is the client id; deleted ones stay, without scopes and secrets. */
export interface ClientDocument extends Document, Client {}

/** An access token that was revoked, by its `jti`, until it would have expired. */
export interface RevocationDocument extends Document {
  readonly clientId: string;
  /** Epoch milliseconds. */
  readonly revokedAt: number;
  /** Epoch milliseconds, of the token. */
  readonly expiresAt: number;
}

/** A pair of signing keys; its id is its generation, so that of two that are made at once only one is stored. */
export interface KeyDocument extends Document, KeyLife {
  readonly kid: string;
  /** The public JWK, as it is published. */
  readonly jwk: Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'use' | 'alg', string>>;
  /** The private key, PKCS #8, under KEY_ENCRYPTION_KEY: see key-encryption.ts. */
  readonly sealed: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
}

/** Signing keys belong to the installation and to no institution; the store wants a name all the same. */
export const INSTALLATION = 'installation';

export const clientsCollection = collection<ClientDocument>('clients', [
  { name: 'by_creation', fields: ['deletedAt', 'createdAt'] },
  { name: 'by_change', fields: ['changedAt'], acrossInstitutions: true },
]);

export const revocationsCollection = collection<RevocationDocument>('revocations', [
  { name: 'by_revocation', fields: ['revokedAt'], acrossInstitutions: true },
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const keysCollection = collection<KeyDocument>('signing_keys', []);

/** Every collection of the authorizer, for the engine that opens its store. */
export const collections = [clientsCollection, revocationsCollection, keysCollection];

/** The clients of all institutions, since a token request names no institution. */
export const clientsOf = (store: Store): CollectionHandle<ClientDocument> => store.collection(clientsCollection);

/** The revoked tokens of all institutions. */
export const revocationsOf = (store: Store): CollectionHandle<RevocationDocument> =>
  store.collection(revocationsCollection);

/** The signing keys of the installation. */
export const keysOf = (store: Store) => store.collection(keysCollection).of(INSTALLATION);
