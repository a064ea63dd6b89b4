import { type Message, Unreadable } from '@boxoffice/messaging';
import { type CollectionHandle, type New, type Store, UniqueViolation, type Where } from '@boxoffice/store';
import { derived, FRESH_MS, type MailDocument, type MailKind, mailsCollection } from '../store.ts';

/** A mail before its first attempt. */
export type NewMail = New<MailDocument>;

type About = Pick<NewMail, 'kind' | 'orderId' | 'pointOfSale' | 'contactNumber'> &
  Partial<Pick<NewMail, 'move' | 'refund' | 'bulk'>>;

/**
 * The mail of an order about one thing; `thing` distinguishes mails of the same kind. A fact that is delivered twice
 * leads to the same id.
 */
export const mailOf = (about: About, institution: string, thing: string, now: number): NewMail => ({
  bulk: false,
  ...about,
  id: `mail_${derived(institution, about.kind, about.orderId, thing)}`,
  state: 'waiting',
  dueAt: now,
  attempts: 0,
  sealedLink: null,
  reason: null,
  createdAt: now,
  endedAt: null,
});

/** The members of an announced event that are used here. */
interface OrderEvent {
  readonly type?: unknown;
  readonly resource?: { readonly id?: unknown };
  readonly data?: {
    readonly orderId?: unknown;
    readonly contactNumber?: unknown;
    readonly confirmedAt?: unknown;
    readonly cancellation?: { readonly requestedAt?: unknown } | null;
    readonly amount?: unknown;
    readonly currency?: unknown;
  };
  readonly belongsTo?: { readonly clientIds?: readonly unknown[]; readonly pointOfSale?: unknown };
  readonly again?: unknown;
}

const isFresh = (at: unknown, now: number): boolean => typeof at === 'string' && Date.parse(at) > now - FRESH_MS;

/** The kind of mail that follows from an event; undefined: none. An order that was never sold is not worth one. */
const kindOf = ({ type, data, again }: OrderEvent, now: number): MailKind | undefined => {
  if (type === 'order.confirmed') return isFresh(data?.confirmedAt, now) ? 'confirmation' : undefined;
  if (type === 'order.cancelled')
    return data?.confirmedAt && isFresh(data.cancellation?.requestedAt, now) ? 'cancelled' : undefined;
  return type === 'refund.recorded' && again !== true ? 'refund' : undefined;
};

/**
 * The mail that follows from `order.recorded`, if a shopper made the order: no client did. Undefined: none. The buyer of
 * a refund is not in the event.
 * @throws {Unreadable}
 */
export const mailOfOrder = ({ institution, data }: Message, now: number): NewMail | undefined => {
  const { event } = data as { readonly event?: OrderEvent };
  if (typeof event?.type !== 'string' || typeof event.resource?.id !== 'string' || !event.data)
    throw new Unreadable('order.recorded needs event.type, event.resource and event.data');
  const { pointOfSale, clientIds } = event.belongsTo ?? {};
  const kind = kindOf(event, now);
  if (kind === undefined || typeof pointOfSale !== 'string' || clientIds?.length !== 0) return undefined;
  const { contactNumber, orderId, amount, currency } = event.data;
  const buyer = typeof contactNumber === 'string' ? contactNumber : null;
  const { id } = event.resource;
  if (kind !== 'refund') return mailOf({ kind, orderId: id, pointOfSale, contactNumber: buyer }, institution, '', now);
  if (typeof orderId !== 'string' || typeof amount !== 'number' || typeof currency !== 'string')
    throw new Unreadable('refund.recorded needs orderId, amount and currency');
  const refund = { amount, currency };
  return mailOf({ kind, orderId, pointOfSale, contactNumber: buyer, refund }, institution, id, now);
};

/**
 * The mail that the institution asked for by `order.mail_requested`, whoever made the order; undefined if long ago.
 * @throws {Unreadable}
 */
export const mailOfRequest = ({ institution, data, version }: Message, now: number): NewMail | undefined => {
  const { orderId, pointOfSale, contactNumber, kind, requestedAt } = data as Readonly<Record<string, unknown>>;
  if (typeof orderId !== 'string' || typeof pointOfSale !== 'string' || typeof contactNumber !== 'string')
    throw new Unreadable('order.mail_requested needs orderId, pointOfSale and contactNumber');
  if (kind !== 'confirmation' || !isFresh(requestedAt, now)) return undefined;
  return mailOf({ kind, orderId, pointOfSale, contactNumber }, institution, `again ${version}`, now);
};

/** A performance that moved, as its fact says it. */
interface Move {
  readonly performanceId: string;
  readonly startDate: string;
}

/**
 * What `performance.moved` says; undefined if it is long ago, or the performance was before.
 * @throws {Unreadable}
 */
export const moveOf = ({ data }: Message, now: number): Move | undefined => {
  const { performanceId, startDate, movedAt } = data as Readonly<Record<string, unknown>>;
  if (typeof performanceId !== 'string' || typeof startDate !== 'string' || Number.isNaN(Date.parse(startDate)))
    throw new Unreadable('performance.moved needs performanceId and startDate');
  if (Date.parse(startDate) < now || (movedAt !== undefined && !isFresh(movedAt, now))) return undefined;
  return { performanceId, startDate };
};

/** How long tickets have to follow a move before its mails, which have them attached; a second move may follow it. */
const MOVE_PAUSE_MS = 30_000;

/** The mail about a moved performance to the buyer of an order. */
export const mailOfMove = (
  { institution, version }: Pick<Message, 'institution' | 'version'>,
  move: Move,
  order: { readonly id: string; readonly pointOfSale: string; readonly contactNumber: string | null },
  now: number,
): NewMail => {
  const { id: orderId, pointOfSale, contactNumber } = order;
  const about = { kind: 'moved', orderId, pointOfSale, contactNumber, move, bulk: true } as const;
  const mail = mailOf(about, institution, `${move.performanceId} ${version}`, now);
  return { ...mail, dueAt: now + MOVE_PAUSE_MS };
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after a failed attempt the next one comes, by the number of the failed attempt: two days in all. */
const RETRIES_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  20 * HOUR,
] as const;

/** By which part a retry comes earlier or later, so that those of an outage do not come all at once. */
const JITTER = 0.2;

/** A mail that could not be sent for so long is given up. */
const GIVEN_UP_MS = 48 * HOUR;

/** Milliseconds from a failed attempt (from 1) to the next; undefined after the last. `random` is in [0, 1). */
const retryAfter = (attempt: number, random: number): number | undefined => {
  const delay = RETRIES_MS[attempt - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * random));
};

/** While a mail is being sent, no other instance takes it; longer than any attempt. Milliseconds. */
export const LEASE_MS = 5 * 60_000;

/** How an attempt left a mail. `paused`: it says nothing about the mail; it is tried again at an instant. */
export type Ended =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed' | 'dropped' | 'later'; readonly reason: string }
  | { readonly outcome: 'paused'; readonly reason: string; readonly until: number };

const over = (mail: MailDocument, state: MailDocument['state'], reason: string | null, now: number): MailDocument => ({
  ...mail,
  state,
  reason,
  dueAt: null,
  sealedLink: null,
  endedAt: now,
});

/** The state that the end of an attempt leads to. `random` is in [0, 1). */
const afterAttempt = (mail: MailDocument, ended: Ended, now: number, random: number): MailDocument => {
  if (ended.outcome === 'sent') return over(mail, 'sent', null, now);
  const { reason } = ended;
  if (ended.outcome === 'failed' || ended.outcome === 'dropped') return over(mail, ended.outcome, reason, now);
  const isOld = now - mail.createdAt >= GIVEN_UP_MS;
  if (ended.outcome === 'paused')
    return isOld ? over(mail, 'failed', reason, now) : { ...mail, reason, dueAt: ended.until };
  const attempts = mail.attempts + 1;
  const delay = isOld ? undefined : retryAfter(attempts, random);
  return delay === undefined
    ? { ...over(mail, 'failed', reason, now), attempts }
    : { ...mail, attempts, reason, dueAt: now + delay };
};

const isUnderWay = ({ dueAt, leasedUntil }: MailDocument, now: number): boolean =>
  dueAt !== null && dueAt === leasedUntil && dueAt > now;

const isBefore = (one: MailDocument, other: MailDocument): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt;

/** Whether an earlier mail of the same order has nothing to say any more once this one is written. */
const supersedes = ({ kind, move }: MailDocument, earlier: MailDocument): boolean =>
  (kind === 'cancelled' && (earlier.kind === 'confirmation' || earlier.kind === 'moved')) ||
  (kind === 'moved' && earlier.move?.performanceId === move?.performanceId && earlier.kind === 'moved');

/** How soon a mail looks again for one before it that is under way or due. Milliseconds. */
const BEHIND_MS = 1_000;

/** Deletes the mails of a contact, sent ones included; returns their ids. */
export const eraseMails = async (
  store: Store,
  institution: string,
  contactNumber: string,
): Promise<readonly string[]> => {
  const mails = store.collection(mailsCollection).of(institution);
  const ids = (await mails.find({ where: { contactNumber } })).map(({ id }) => id);
  for (const id of ids) await mails.delete(id);
  return ids;
};

/** The mails of a store. Times in epoch milliseconds. */
export const createOutbox = (store: Store, now: () => number) => {
  const handle: CollectionHandle<MailDocument> = store.collection(mailsCollection);
  const everywhere = handle.acrossInstitutions;

  /** Drops a mail that waits, unless it is under way. */
  const drop = ({ id }: MailDocument, at: number): Promise<MailDocument | undefined> =>
    everywhere.update(id, (current) =>
      current.state === 'waiting' && !isUnderWay(current, at)
        ? { next: over(current, 'dropped', 'outdated', at) }
        : undefined,
    );

  return {
    /** Adds mails that are not there yet. */
    async add(institution: string, mails: readonly NewMail[]): Promise<void> {
      const [first, ...rest] = mails;
      if (!first) return;
      if (rest.length > 0) return void (await handle.of(institution).insertMany(mails));
      try {
        await handle.of(institution).insert(first);
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
      }
    },
    /**
     * Takes mails that are due, each for this instance alone until its lease ends; none of the institution `except`.
     */
    claim(bulk: boolean, limit: number, except?: string): Promise<MailDocument[]> {
      const at = now();
      const others: Where = except === undefined ? {} : { institution: { ne: except } };
      const leasedUntil = at + LEASE_MS;
      return everywhere.claim({
        where: { bulk, dueAt: { lte: at }, ...others },
        set: { dueAt: leasedUntil, leasedUntil },
        limit,
      });
    },
    /**
     * Until when a mail waits, so that the mails of an order go in the order in which they were written: for those before
     * it that are still to be sent. Undefined: for none. Those that it makes superfluous are dropped.
     */
    async waitsUntil(mail: MailDocument): Promise<number | undefined> {
      const mails = handle.of(mail.institution);
      const waiting = await mails.find({ where: { orderId: mail.orderId, state: 'waiting' }, index: 'order' });
      const at = now();
      let until: number | undefined;
      for (const one of waiting) {
        if (!isBefore(one, mail)) continue;
        const left = supersedes(mail, one) ? await drop(one, at) : one;
        if (left?.state !== 'waiting') continue;
        const next = isUnderWay(left, at) ? 0 : (left.dueAt ?? 0);
        until = Math.max(until ?? 0, next, at + BEHIND_MS);
      }
      return until;
    },
    /** Stores the encrypted link; undefined if the mail is gone, or another instance has taken it since. */
    link: (mail: MailDocument, sealedLink: string): Promise<MailDocument | undefined> =>
      everywhere.update(mail.id, (current) =>
        current.version === mail.version ? { next: { ...current, sealedLink } } : undefined,
      ),
    /** Records the end of an attempt, unless the mail is gone or another instance has taken it since. */
    async end(mail: MailDocument, ended: Ended): Promise<void> {
      const [at, random] = [now(), Math.random()];
      await everywhere.update(mail.id, (current) =>
        current.dueAt === mail.dueAt && current.state === 'waiting'
          ? { next: afterAttempt(current, ended, at, random) }
          : undefined,
      );
    },
    delete: (mail: MailDocument): Promise<boolean> => everywhere.delete(mail.id),
    /** When the mail was written that waits the longest; undefined: none waits. */
    async oldest(): Promise<number | undefined> {
      const [mail] = await everywhere.find({ where: { state: 'waiting' }, orderBy: 'createdAt', limit: 1 });
      return mail?.createdAt;
    },
  };
};

export type Outbox = ReturnType<typeof createOutbox>;
