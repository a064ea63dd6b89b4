import { type CollectionHandle, collection, type Document, type Store } from '@boxoffice/store';
import type { Client } from './domain/client.ts';
import type { KeySchedule } from './domain/key-schedule.ts';

/** An OAuth client; its document id is the client id. Deleted clients stay, without scopes and secrets. */
export interface ClientDocument extends Document, Client {}

/** A revoked access token, by its `jti`, until it would have expired. */
export interface RevocationDocument extends Document {
  readonly clientId: string;
  /** Epoch milliseconds. */
  readonly revokedAt: number;
  /** Expiry of the token. Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A signing key pair; its id is its generation, so that of two made concurrently only one is stored. */
export interface KeyDocument extends Document, KeySchedule {
  readonly kid: string;
  /** The published public JWK. */
  readonly jwk: Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'use' | 'alg', string>>;
  /** The private key (PKCS #8), encrypted under KEY_ENCRYPTION_KEY: see encryption.ts. */
  readonly sealed: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
}

/** The store's institution for signing keys, which belong to the whole installation. */
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

/** Every collection of the authorizer. */
export const collections = [clientsCollection, revocationsCollection, keysCollection];

/** The clients of all institutions, because a token request names no institution. */
export const clientsOf = (store: Store): CollectionHandle<ClientDocument> => store.collection(clientsCollection);

/** The revoked tokens of all institutions. */
export const revocationsOf = (store: Store): CollectionHandle<RevocationDocument> =>
  store.collection(revocationsCollection);

/** The signing keys of the installation. */
export const keysOf = (store: Store) => store.collection(keysCollection).of(INSTALLATION);
