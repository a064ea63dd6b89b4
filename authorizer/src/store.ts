import type { Fault } from '@boxoffice/envelope';
import { attemptsCollection } from '@boxoffice/logins';
import {
  collection,
  type Document,
  type Documents,
  type IdempotencyRecord,
  insertUnlessTaken,
  type New,
  type Store,
} from '@boxoffice/store';
import type { ApiKey } from './domain/api-key.ts';
import { type Client, findExcludedScopes } from './domain/client.ts';
import type { Grant } from './domain/grant.ts';
import type { KeySchedule } from './domain/key-schedule.ts';
import type { ReportMark, Resolution, Share, UsageRow } from './domain/usage.ts';
import type { SessionTimes, User } from './domain/user.ts';

/** A check of the current document, which throws to refuse, and the idempotency record. */
export interface ChangeRequest<T> {
  readonly allow?: (current: T) => void;
  readonly idempotencyRecord?: IdempotencyRecord<T> | undefined;
}

/** An OAuth client; its document id is the client id. Deleted clients stay, without scopes and secrets. */
export interface ClientDocument extends Document, Client {}

/** A revoked access token, by its `jti`, until it would have expired. */
interface RevocationDocument extends Document {
  readonly clientId: string;
  readonly revokedAt: number;
  /** Expiry of the token. Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A signing key pair; its id is its generation, so that of two made concurrently only one is stored. */
export interface KeyDocument extends Document, KeySchedule {
  readonly kid: string;
  readonly jwk: Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'use' | 'alg', string>>;
  /** The private key (PKCS #8), encrypted under KEY_ENCRYPTION_KEY: see signing-keys.ts. */
  readonly sealed: string;
  readonly createdAt: string;
}

/** A user of the institution API; not a login of a point of sale. */
export interface UserDocument extends Document, User {}

/** The look-up of a pending invitation; its id is the hash of the secret, as in the user's document. */
interface InvitationDocument extends Document {
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** An API key; its document id is the key's public id. Deleted keys stay, without origins. */
export interface ApiKeyDocument extends Document, ApiKey {}

/** The use of an API key; its id is the key's. */
export interface ApiKeyUseDocument extends Document {
  /** The latest calendar month with a request, UTC: `2027-03`. */
  readonly month: string;
  /** Requests of that month but those refused with 429. */
  readonly used: number;
  /** ISO 8601 UTC, to the minute. */
  readonly lastUsedAt: string;
  /** With when each was written, epoch milliseconds. */
  readonly gateways: readonly (ReportMark & { readonly at: number })[];
}

/** Counted requests of one interval. Its rows are spread over several documents (`chunk`), by user. */
export interface UsageDocument extends Document {
  readonly resolution: Resolution;
  readonly start: string;
  readonly chunk: number;
  readonly rows: readonly UsageRow[];
  readonly gateways: readonly ReportMark[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A gateway process that reports; its id is that of its reports. */
interface GatewayDocument extends Document {
  readonly reportedAt: number;
}

/** How the limit of a caller is divided among gateways; its id is the caller. */
interface LimitSharesDocument extends Document {
  readonly shares: readonly Share[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Administrators being removed, locked or demoted right now: no two may take each other for the last one. */
export interface AdminDeparturesDocument extends Document {
  /** `until`: epoch milliseconds, after which the request is over. */
  readonly leaving: readonly { readonly userId: string; readonly until: number }[];
}

/** What a user granted to a client; its id is a hash of its authorization code. */
export interface GrantDocument extends Document, Grant {}

/** A user's session in one browser; its id is a hash of the cookie. */
export interface SessionDocument extends Document, SessionTimes {
  readonly userId: string;
}

/** That a user agreed to a client and a set of scopes; its id is a hash of the three. */
interface ConsentDocument extends Document {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
}

/** A form that was sent with success, so that it is not accepted again; its id is a hash of the form's. */
interface SentFormDocument extends Document {
  /** When the form itself expires. Epoch milliseconds. */
  readonly expiresAt: number;
}

/** What the pages say of an institution, as the catalog last announced it; its id is the institution's. */
interface InstitutionDocument extends Document {
  readonly name: string;
  /** Language tags (BCP 47), the preferred one first. */
  readonly languages: readonly string[];
  /** The version of the catalog's document, so that an older event has no effect. */
  readonly asOf: number;
}

/** The store's institution for signing keys and gateways, which belong to the whole installation. */
export const INSTALLATION = 'installation';

/** What bounds exclude by now is absent, whoever reads: nobody gives it back by taking the bounds away. */
const upgradeClient = (stored: ClientDocument): ClientDocument => {
  const excluded = findExcludedScopes(stored.bounds, stored.scopes);
  if (excluded.length === 0) return stored;
  return { ...stored, scopes: stored.scopes.filter((scope) => !excluded.includes(scope)) };
};

export const clientsCollection = collection<ClientDocument>(
  'clients',
  [
    { name: 'by_creation', fields: ['deletedAt', 'createdAt'] },
    { name: 'by_change', fields: ['changedAt'], acrossInstitutions: true },
  ],
  { upgrade: upgradeClient },
);

export const revocationsCollection = collection<RevocationDocument>('revocations', [
  { name: 'by_revocation', fields: ['revokedAt'], acrossInstitutions: true },
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

const keysCollection = collection<KeyDocument>('signing_keys', []);

export const usersCollection = collection<UserDocument>('users', [
  { name: 'by_login', fields: ['loginKey'], unique: true },
  { name: 'by_creation', fields: ['createdAt'] },
  { name: 'by_role', fields: ['role', 'createdAt'] },
  { name: 'by_state', fields: ['state', 'createdAt'] },
  { name: 'by_contact', fields: ['contactNumber'] },
]);

export const invitationsCollection = collection<InvitationDocument>('invitations', [
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const adminDeparturesCollection = collection<AdminDeparturesDocument>('admin_departures', []);

export const grantsCollection = collection<GrantDocument>('grants', [
  { name: 'by_user', fields: ['userId'] },
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const sessionsCollection = collection<SessionDocument>('sessions', [
  { name: 'by_user', fields: ['userId'] },
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
  { name: 'by_use', fields: ['lastSeenAt'], acrossInstitutions: true },
]);

export const consentsCollection = collection<ConsentDocument>('consents', [{ name: 'by_user', fields: ['userId'] }]);

export const sentFormsCollection = collection<SentFormDocument>('sent_forms', [
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const institutionsCollection = collection<InstitutionDocument>('institutions', []);

export const apiKeysCollection = collection<ApiKeyDocument>('api_keys', [
  { name: 'by_creation', fields: ['deletedAt', 'createdAt'] },
  { name: 'by_hash', fields: ['hash'], unique: true, acrossInstitutions: true },
  { name: 'by_change', fields: ['changedAt'], acrossInstitutions: true },
]);

export const apiKeyUsesCollection = collection<ApiKeyUseDocument>('api_key_uses', [
  { name: 'by_use', fields: ['month', 'used'], acrossInstitutions: true },
]);

export const usageCollection = collection<UsageDocument>('usage', [
  { name: 'by_interval', fields: ['resolution', 'start'] },
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const gatewaysCollection = collection<GatewayDocument>('gateways', [
  { name: 'by_report', fields: ['reportedAt'] },
  { name: 'by_age', fields: ['reportedAt'], acrossInstitutions: true },
]);

export const limitSharesCollection = collection<LimitSharesDocument>('limit_shares', [
  { name: 'by_expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const collections = [
  clientsCollection,
  revocationsCollection,
  keysCollection,
  usersCollection,
  invitationsCollection,
  adminDeparturesCollection,
  grantsCollection,
  sessionsCollection,
  consentsCollection,
  sentFormsCollection,
  institutionsCollection,
  attemptsCollection,
  apiKeysCollection,
  apiKeyUsesCollection,
  usageCollection,
  gatewaysCollection,
  limitSharesCollection,
];

/** Writes what `step` makes of it; throws `absent` where there is none, or it is marked as deleted. */
export async function changeDocument<T extends Document & { readonly deletedAt: string | null }>(
  documents: Documents<T>,
  id: string,
  { allow, idempotencyRecord }: ChangeRequest<T>,
  absent: () => Fault,
  step: (current: T) => T,
): Promise<T> {
  const change = (current: T) => {
    if (current.deletedAt !== null) throw absent();
    allow?.(current);
    return { next: step(current) };
  };
  const updated = await documents.update(id, change, { idempotencyRecord });
  if (!updated) throw absent();
  return updated;
}

/** `to` returns undefined to leave it. Resolves when it is written, whichever instance inserted it. */
export async function upsert<T extends Document>(
  documents: Documents<T>,
  id: string,
  to: (current: T | undefined) => New<T> | undefined,
): Promise<void> {
  const update = () =>
    documents.update(id, (current) => {
      const next = to(current);
      return next && { next };
    });
  if (await update()) return;
  const first = to(undefined);
  // Otherwise another instance has inserted it meanwhile.
  if (first && !(await insertUnlessTaken(documents, first))) await update();
}

export function getSigningKeys(store: Store) {
  return store.collection(keysCollection).of(INSTALLATION);
}
