import { collection, type Document } from '@boxoffice/store';

/** A visitor's session; its id is a hash of the token, which is nowhere kept. Times in epoch milliseconds. */
export interface SessionDocument extends Document {
  /** The name that answers show. */
  readonly sessionId: string;
  /** The point of sale that it is bound to. */
  readonly serviceHost: string;
  /** Who is logged in; null for a guest. */
  readonly userId: string | null;
  readonly login: string | null;
  readonly contactNumber: string | null;
  /** The order that is this session's cart, from its first item on. */
  readonly cartId: string | null;
  /** Orders made in this session without a login, oldest first. */
  readonly orderIds: readonly string[];
  /** Orders of this session whose payment may fail, newest last: one that did becomes the cart again. */
  readonly awaiting?: readonly string[];
  /** The last checkout that had an Idempotency-Key, so that a repeat of it is known after a crash as well. */
  readonly checkout?: { readonly key: string; readonly orderId: string };
  /** The last order that somebody was told to have bought: no fault of another try cancels it any more. */
  readonly reportedOrder?: string;
  /** The order that a faulty try is cancelling, at most until then (epoch milliseconds); so long nobody is told to have bought it. */
  readonly cancelling?: { readonly orderId: string; readonly until: number };
  readonly createdAt: number;
  /** Written seldom: a session that is read often is not written each time. */
  readonly lastSeenAt: number;
  /** When it ends at the latest. */
  readonly expiresAt: number;
}

/** A login at one point of sale, tied to one contact. */
export interface UserDocument extends Document {
  readonly serviceHost: string;
  /** Trimmed and in lower case. */
  readonly login: string;
  /** Argon2id, in PHC string format. */
  readonly passwordHash: string;
  readonly contactNumber: string;
  /** Orders that the user bought for another contact, oldest first. */
  readonly orderIds?: readonly string[];
  readonly createdAt: string;
}

/** Wrong passwords of the last minutes: of an address, of a login, or of both; its id is a hash of what they have in common. */
export interface AttemptsDocument extends Document {
  /** Epoch milliseconds, oldest first. */
  readonly failures: readonly number[];
  readonly expiresAt: number;
}

export const sessions = collection<SessionDocument>('sessions', [
  { name: 'expiry', fields: ['expiresAt'], acrossInstitutions: true },
  { name: 'seen', fields: ['lastSeenAt'], acrossInstitutions: true },
  { name: 'user', fields: ['userId'] },
  { name: 'contact', fields: ['contactNumber'] },
]);

export const users = collection<UserDocument>('users', [
  { name: 'login', fields: ['serviceHost', 'login'], unique: true },
  { name: 'contact', fields: ['contactNumber'] },
]);

export const loginAttempts = collection<AttemptsDocument>('login_attempts', [
  { name: 'expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

/** Every collection of the service. */
export const collections = [sessions, users, loginAttempts];
