import { hash } from 'node:crypto';
import { ID_PATTERN } from '@boxoffice/http';
import { attemptsCollection } from '@boxoffice/logins';
import { createRandomId } from '@boxoffice/runtime';
import type { Retentions } from '@boxoffice/service';
import { collection, type Document, toDue } from '@boxoffice/store';

/** A visitor's session; its id is a hash of the token, which is not stored. Times in epoch milliseconds. */
export interface SessionDocument extends Document {
  /** The public id of the session, shown in answers. */
  readonly sessionId: string;
  /** The point of sale that the session is bound to. */
  readonly serviceHost: string;
  /** The logged-in user; null for a guest. */
  readonly userId: string | null;
  readonly login: string | null;
  readonly contactNumber: string | null;
  /** The order that is the session's cart; null until the first item. */
  readonly cartId: string | null;
  /** Orders that this session made without a login, oldest first. */
  readonly orderIds: readonly string[];
  /**
   * Orders of this session whose payment may still fail, newest last; after a failure the order becomes the cart
   * again.
   */
  readonly awaiting?: readonly string[];
  /** The last checkout with an Idempotency-Key, so that a repeat is recognised after a crash. */
  readonly checkout?: { readonly key: string; readonly orderId: string };
  /** The last order that an answer reported as bought; a failed attempt no longer cancels it. */
  readonly reportedOrder?: string;
  /** The order that a failed attempt is cancelling; until `until` the order is never reported as bought. */
  readonly cancelling?: { readonly orderId: string; readonly until: number };
  readonly createdAt: number;
  /** Updated about once a minute, so that most requests do not write the session. */
  readonly lastSeenAt: number;
  /** The absolute end of the session, however often it is used. */
  readonly expiresAt: number;
}

/** A login at one point of sale, linked to one contact. */
export interface UserDocument extends Document {
  readonly serviceHost: string;
  /** Normalised (NFKC), trimmed and in lower case. */
  readonly login: string;
  /** Argon2id, in PHC string format. */
  readonly passwordHash: string;
  readonly contactNumber: string;
  /** Orders that the user bought for a contact other than their own, oldest first. */
  readonly orderIds?: readonly string[];
  readonly createdAt: string;
}

/** A link that shows one order without a session; its id is a hash of the token, which is not stored. */
export interface OrderLinkDocument extends Document {
  /** The point of sale that the link is bound to. */
  readonly serviceHost: string;
  readonly orderId: string;
  readonly createdAt: string;
  /** The end of the link as the performances were dated when it was last computed; epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Why a mail is written; `cancelled` is of an order, also where its performance was cancelled; `link`: somebody who
 * knows its number and email asked for its link.
 */
export const kinds = ['confirmation', 'moved', 'cancelled', 'refund', 'link'] as const;
export type MailKind = (typeof kinds)[number];

/** A mail of the outbox. It has ids and amounts only: address, names and texts are read when it is sent. */
export interface MailDocument extends Document {
  readonly kind: MailKind;
  readonly orderId: string;
  /** The service host of the order's point of sale. */
  readonly pointOfSale: string;
  /** The buyer when the mail was written; null: nobody yet. */
  readonly contactNumber: string | null;
  /** Of `moved`: where and when the performance takes place now. */
  readonly move?: { readonly performanceId: string; readonly startDate: string };
  /** Of `refund`. */
  readonly refund?: { readonly amount: number; readonly currency: string };
  /** One of many at once, which wait for the others. */
  readonly bulk: boolean;
  /** `dropped`: there was nothing to say any more, or nobody to say it to. */
  readonly state: 'waiting' | 'sent' | 'failed' | 'dropped';
  /** Attempts whose failure concerned this mail, not the server. */
  readonly attempts: number;
  /** The order link, encrypted, from the first attempt until the mail is over. */
  readonly sealedLink: string | null;
  /** Why it was not sent: a code of SMTP, or a word. */
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

/** The work that is due of a mail until it is over: it is sent, after others where it is one of many. */
export function selectMailWork({ bulk }: Pick<MailDocument, 'bulk'>): 'send' | 'sendToMany' {
  return bulk ? 'sendToMany' : 'send';
}

/** A mail of release 0.3.0 says in a member when it is due. */
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

/** Every collection of the service. */
export const collections = [sessions, users, orderLinks, attemptsCollection, mailsCollection];

/** Milliseconds of tolerance: the last use is written late, and by an instance with another clock. */
const LATE_MS = 60_000;

const DAY_MS = 24 * 60 * 60_000;

/** A fact that is older makes no mail: facts can be published again long after. Shorter than mails are retained. */
export const FRESH_MS = 7 * DAY_MS;

/** What happens before a document is deleted as expired. */
interface BeforeDeletion {
  /** Dates a link anew, whose performances may have moved. */
  renewLink(link: OrderLinkDocument): Promise<unknown>;
  /** Deletes the files of a mail of the demo. */
  deleteFiles(mailId: string): Promise<unknown>;
}

/** How long each collection keeps its documents. */
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
      // One that was renewed has changed, and stays.
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

/** A new id: the prefix and 24 characters with 120 random bits. */
export function createId(prefix: string): string {
  return createRandomId(prefix, 24);
}

const ID = new RegExp(ID_PATTERN);

/** Whether a text is a well-formed id; a malformed id is 404 without a remote call. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** A deterministic id: the SHA-256 of the parts, which it does not reveal. */
export function deriveId(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/** The subject of idempotency records about a cart, whose buyer is not known yet. */
export function formatCartSubject(orderId: string): string {
  return `cart ${orderId}`;
}

/** The owner of a session's idempotency keys and the subject of its idempotency records. */
export function deriveSessionOwner(sessionId: string): string {
  return deriveId('session', sessionId);
}
