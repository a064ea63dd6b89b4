// Mails to shoppers: an outbox that facts fill, and its sender.

import type { Retention } from '@boxoffice/service';
import { collection, type Document } from '@boxoffice/store';

/** Why a mail is written; `cancelled` is of an order, also where its performance was cancelled. */
export const kinds = ['confirmation', 'moved', 'cancelled', 'refund'] as const;
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
  /** Epoch milliseconds of the next attempt; during one the end of its lease; null once it is over. */
  readonly dueAt: number | null;
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

export const mailsCollection = collection<MailDocument>('mails', [
  { name: 'due', fields: ['bulk', 'dueAt'], acrossInstitutions: true },
  { name: 'waiting', fields: ['state', 'createdAt'], acrossInstitutions: true },
  { name: 'contact', fields: ['contactNumber'] },
  { name: 'ended', fields: ['endedAt'], acrossInstitutions: true },
]);

const DAY_MS = 24 * 60 * 60_000;

/** A fact that is older makes no mail: facts can be published again long after. Shorter than mails are retained. */
export const FRESH_MS = 7 * DAY_MS;

export const mailRetention: Retention = {
  retained: '30 days after they were sent or given up; they have neither addresses nor texts',
  ends: [{ field: 'endedAt', afterMs: 30 * DAY_MS }],
};
