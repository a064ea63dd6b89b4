import { hash } from 'node:crypto';
import { ID_PATTERN } from '@boxoffice/http';
import { attemptsCollection } from '@boxoffice/logins';
import { createRandomId } from '@boxoffice/runtime';
import type { Retentions } from '@boxoffice/service';
import { collection, type Document, toDue } from '@boxoffice/store';

/** The id is a hash of the token, which is not stored. Times in epoch milliseconds. */
export interface SessionDocument extends Document {
  /** The public id, shown in answers. */
  readonly sessionId: string;
  readonly serviceHost: string;
  /** Null for a guest. */
  readonly userId: string | null;
  readonly login: string | null;
  readonly contactNumber: string | null;
  /** Null until the first item. */
  readonly cartId: string | null;
  /** The cart that was given codes of discounts. */
  readonly cartWithCodes?: string;
  /** Orders made without a login, oldest first. */
  readonly orderIds: readonly string[];
  /** Orders whose payment may still fail, newest last; after a failure the order becomes the cart again. */
  readonly awaiting?: readonly string[];
  /** The last checkout with an Idempotency-Key: a repeat is recognised after a crash. */
  readonly checkout?: { readonly key: string; readonly orderId: string };
  /** The last order that an answer reported as bought; a failed attempt no longer cancels it. */
  readonly reportedOrder?: string;
  /** A failed attempt is cancelling it; until `until` the order is never reported as bought. */
  readonly cancelling?: { readonly orderId: string; readonly until: number };
  readonly createdAt: number;
  /** Updated about once a minute, so that most requests do not write the session. */
  readonly lastSeenAt: number;
  /** The session ends then however often it is used. */
  readonly expiresAt: number;
}

export interface UserDocument extends Document {
  readonly serviceHost: string;
  /** Normalised (NFKC), trimmed and in lower case. */
  readonly login: string;
  /** Argon2id, in PHC string format. */
  readonly passwordHash: string;
  readonly contactNumber: string;
  /** Orders bought for a contact other than their own, oldest first. */
  readonly orderIds?: readonly string[];
  readonly createdAt: string;
}

/** The id is a hash of the token, which is not stored. */
export interface OrderLinkDocument extends Document {
  readonly serviceHost: string;
  readonly orderId: string;
  readonly createdAt: string;
  /** The end as computed last; epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * `cancelled`: also where the performance was; `lines-returned`: where the order has other performances, too; `link`:
 * asked for with the order's number and email.
 */
export const kinds = [
  'confirmation',
  'moved',
  'cancelled',
  'lines-returned',
  'refund',
  'refund-failed',
  'link',
] as const;
export type MailKind = (typeof kinds)[number];

/** It has ids and amounts only: address, names and texts are read when it is sent. */
export interface MailDocument extends Document {
  readonly kind: MailKind;
  readonly orderId: string;
  readonly pointOfSale: string;
  /** The buyer when the mail was written; null: not known yet. */
  readonly contactNumber: string | null;
  /** Of `moved`: where and when the performance takes place now. */
  readonly move?: { readonly performanceId: string; readonly startDate: string };
  /** Of `lines-returned`: what returned them. */
  readonly changeId?: string;
  /** Mails of release 0.3.0 do not have its id. */
  readonly refund?: { readonly id?: string; readonly amount: number; readonly currency: string };
  /** Mails of many at once wait for the others. */
  readonly bulk: boolean;
  /** `dropped`: there is nothing left to say, or no recipient. */
  readonly state: 'waiting' | 'sent' | 'failed' | 'dropped';
  /** Counts attempts whose failure concerned this mail, not the server. */
  readonly attempts: number;
  /** Stored from the first attempt until the mail is over. */
  readonly sealedLink: string | null;
  /** A code of SMTP, or a word. */
  readonly reason: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; null while it waits. */
  readonly endedAt: number | null;
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

export const orderLinks = collection<OrderLinkDocument>('order_links', [
  { name: 'expiry', fields: ['expiresAt'], acrossInstitutions: true },
  { name: 'order', fields: ['orderId'] },
]);

export function selectMailWork({ bulk }: Pick<MailDocument, 'bulk'>): 'send' | 'sendToMany' {
  return bulk ? 'sendToMany' : 'send';
}

const withDue = (stored: MailDocument & { readonly dueAt?: number | null; readonly leasedUntil?: number }) => {
  if (stored.dueAt === undefined) return stored;
  const { dueAt, leasedUntil: _, ...mail } = stored;
  const due = toDue({ [selectMailWork(mail)]: dueAt });
  return due ? { ...mail, due: { ...due, ...mail.due } } : mail;
};

/** Mails of release 0.3.0 that are to be sent, by its index. */
export const MAILS_OF_0_3 = { where: { bulk: { in: [false, true] }, dueAt: { gte: 0 } }, index: 'due' } as const;

export const mailsCollection = collection<MailDocument>(
  'mails',
  [
    { name: 'due', fields: ['bulk', 'dueAt'], acrossInstitutions: true },
    { name: 'waiting', fields: ['state', 'createdAt'], acrossInstitutions: true },
    { name: 'contact', fields: ['contactNumber'] },
    { name: 'order', fields: ['orderId'] },
    { name: 'ended', fields: ['endedAt'], acrossInstitutions: true },
  ],
  { work: ['send', 'sendToMany'], upgrade: withDue },
);

export const collections = [sessions, users, orderLinks, attemptsCollection, mailsCollection];

/** Milliseconds: the last use is written late, and by an instance with another clock. */
const LATE_MS = 60_000;

const DAY_MS = 24 * 60 * 60_000;

/** Facts can be published again long after; an older one makes no mail. Shorter than mails are retained. */
export const FRESH_MS = 7 * DAY_MS;

interface BeforeDeletion {
  /** Its performances may have moved. */
  renewLink(link: OrderLinkDocument): Promise<unknown>;
  deleteFiles(mailId: string): Promise<unknown>;
}

export function describeRetention(
  { sessionIdleSeconds }: { readonly sessionIdleSeconds: number },
  { renewLink, deleteFiles }: BeforeDeletion,
): Retentions {
  return {
    sessions: {
      retained:
        'until `SESSION_IDLE_SECONDS` after their last use, at most `SESSION_ABSOLUTE_SECONDS`, with idempotency ' +
        'records',
      ends: [
        { field: 'expiresAt', afterMs: 0 },
        { field: 'lastSeenAt', afterMs: sessionIdleSeconds * 1_000 + LATE_MS },
      ],
      along: (store, { id }) => store.idempotency.forget(deriveSessionOwner(id)),
    },
    users: { retained: 'until the operator removes the login or its contact is erased' },
    order_links: {
      retained:
        "until 30 days after the last performance of the order (`AFTER_MS`) or until the buyer's contact is erased",
      ends: [{ field: 'expiresAt', afterMs: 0 }],
      // A renewed link has changed, and stays.
      along: (_, link) => renewLink(link as OrderLinkDocument),
    },
    login_attempts: {
      retained:
        '15 minutes after the last wrong password (`WINDOW_MS`); an hour after the last request for a lost link ' +
        '(`HOUR_MS`), by a hash of the address',
      ends: [{ field: 'expiresAt', afterMs: 0 }],
    },
    mails: {
      retained: '30 days after they were sent or given up; they have neither addresses nor texts',
      ends: [{ field: 'endedAt', afterMs: 30 * DAY_MS }],
      along: (_, { id }) => deleteFiles(id),
    },
  };
}

/** 120 random bits. */
export function createId(prefix: string): string {
  return createRandomId(prefix, 24);
}

const ID = new RegExp(ID_PATTERN);

/** A malformed id is 404 without a remote call. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** The SHA-256 of the parts, which it does not reveal. */
export function deriveId(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/** A cart has no buyer yet, whose erasure would delete its idempotency records. */
export function formatCartSubject(orderId: string): string {
  return `cart ${orderId}`;
}

/** Owns the session's idempotency keys, and is the subject of its records. */
export function deriveSessionOwner(sessionId: string): string {
  return deriveId('session', sessionId);
}
