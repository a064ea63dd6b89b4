import { type Message, Unreadable } from '@boxoffice/messaging';
import { type Retries, retryAfter } from '@boxoffice/service';
import { type CollectionHandle, type DueWork, type New, type Store, UniqueViolation } from '@boxoffice/store';
import { deriveId, FRESH_MS, type MailDocument, type MailKind, mailsCollection, selectMailWork } from '../store.ts';

export type NewMail = New<MailDocument>;

type About = Pick<NewMail, 'kind' | 'orderId' | 'pointOfSale' | 'contactNumber'> &
  Partial<Pick<NewMail, 'move' | 'changeId' | 'refund' | 'bulk'>>;

/** `thing` distinguishes mails of the same kind; a fact that is delivered twice leads to the same id. */
export function createMail(about: About, institution: string, thing: string, now: number): NewMail {
  return {
    bulk: false,
    ...about,
    id: `mail_${deriveId(institution, about.kind, about.orderId, thing)}`,
    state: 'waiting',
    attempts: 0,
    sealedLink: null,
    reason: null,
    createdAt: now,
    endedAt: null,
  };
}

interface OrderEvent {
  readonly type?: unknown;
  readonly resource?: { readonly id?: unknown };
  readonly data?: {
    readonly orderId?: unknown;
    readonly contactNumber?: unknown;
    readonly confirmedAt?: unknown;
    readonly cancellation?: { readonly requestedAt?: unknown } | null;
    readonly state?: unknown;
    readonly changeId?: unknown;
    readonly exchanged?: unknown;
    readonly amount?: unknown;
    readonly currency?: unknown;
  };
  readonly belongsTo?: { readonly clientIds?: readonly unknown[]; readonly pointOfSale?: unknown };
  readonly again?: unknown;
}

/** Undefined unless a shopper made the order. Of refunds and changes without the buyer. @throws {Unreadable} */
export function toOrderMail({ institution, data }: Message, now: number): NewMail | undefined {
  const { event } = data as { readonly event?: OrderEvent };
  if (typeof event?.type !== 'string' || typeof event.resource?.id !== 'string' || !event.data)
    throw new Unreadable('order.recorded needs event.type, event.resource and event.data');
  const { pointOfSale, clientIds } = event.belongsTo ?? {};
  const kind = findKind(event, now);
  if (kind === undefined || typeof pointOfSale !== 'string' || clientIds?.length !== 0) return undefined;
  const { contactNumber, orderId, amount, currency, changeId } = event.data;
  const buyer = typeof contactNumber === 'string' ? contactNumber : null;
  const { id } = event.resource;
  if (kind !== 'refund' && kind !== 'refund-failed') {
    const about = { kind, orderId: id, pointOfSale, contactNumber: buyer };
    if (typeof changeId !== 'string') return createMail(about, institution, '', now);
    return createMail({ ...about, changeId }, institution, changeId, now);
  }
  if (typeof orderId !== 'string' || typeof amount !== 'number' || typeof currency !== 'string')
    throw new Unreadable('a refund needs orderId, amount and currency');
  const refund = { id, amount, currency };
  return createMail({ kind, orderId, pointOfSale, contactNumber: buyer, refund }, institution, id, now);
}

/** An order that was never sold is worth no mail. */
const findKind = ({ type, data, again }: OrderEvent, now: number): MailKind | undefined => {
  if (type === 'order.confirmed') return isFresh(data?.confirmedAt, now) ? 'confirmation' : undefined;
  if (type === 'order.cancelled')
    return data?.confirmedAt && isFresh(data.cancellation?.requestedAt, now) ? 'cancelled' : undefined;
  if (again === true) return undefined;
  // With the tickets of what came: those of the mail before are refused at the door.
  if (type === 'order.lines_changed')
    return Array.isArray(data?.exchanged) && data.exchanged.length > 0 ? 'confirmation' : undefined;
  if (type === 'refund.changed') return data?.state === 'failed' ? 'refund-failed' : undefined;
  return type === 'refund.recorded' ? 'refund' : undefined;
};

const isFresh = (at: unknown, now: number): boolean => typeof at === 'string' && Date.parse(at) > now - FRESH_MS;

/** Again also for orders of clients, once about a change; undefined if the request is long ago. @throws {Unreadable} */
export function toRequestedMail({ institution, data, version }: Message, now: number): NewMail | undefined {
  const { orderId, pointOfSale, contactNumber, kind, changeId, requestedAt } = data as Readonly<
    Record<string, unknown>
  >;
  if (typeof orderId !== 'string' || typeof pointOfSale !== 'string' || typeof contactNumber !== 'string')
    throw new Unreadable('order.mail_requested needs orderId, pointOfSale and contactNumber');
  if (!isFresh(requestedAt, now)) return undefined;
  const whose = { orderId, pointOfSale, contactNumber };
  if (kind === 'confirmation') return createMail({ kind, ...whose }, institution, `again ${version}`, now);
  if (kind !== 'lines_returned') return undefined;
  if (typeof changeId !== 'string') throw new Unreadable('lines_returned needs changeId');
  return createMail({ kind: 'lines-returned', ...whose, changeId }, institution, changeId, now);
}

type Move = NonNullable<MailDocument['move']>;

/** Undefined if the move, or the performance itself, is long ago. @throws {Unreadable} */
export function parseMove({ data }: Message, now: number): Move | undefined {
  const { performanceId, startDate, movedAt } = data as Readonly<Record<string, unknown>>;
  if (typeof performanceId !== 'string' || typeof startDate !== 'string' || Number.isNaN(Date.parse(startDate)))
    throw new Unreadable('performance.moved needs performanceId and startDate');
  if (Date.parse(startDate) < now || (movedAt !== undefined && !isFresh(movedAt, now))) return undefined;
  return { performanceId, startDate };
}

/** Tickets, which the mails attach, have this long to follow the move, and another move may come. */
export const MOVE_PAUSE_MS = 30_000;

export function toMoveMail(
  { institution, version }: Pick<Message, 'institution' | 'version'>,
  move: Move,
  order: { readonly id: string; readonly pointOfSale: string; readonly contactNumber: string | null },
  now: number,
): NewMail {
  const { id: orderId, pointOfSale, contactNumber } = order;
  const about = { kind: 'moved', orderId, pointOfSale, contactNumber, move, bulk: true } as const;
  return createMail(about, institution, `${move.performanceId} ${version}`, now);
}

/** In seconds. */
const HOUR = 3_600;
const DELAYS = [5, 30, 120, 600, HOUR / 2, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, 20 * HOUR];

export const MAIL_RETRIES: Retries = { isEnding: true, delaysMs: DELAYS.map((seconds) => seconds * 1_000) };

const GIVEN_UP_MS = 48 * HOUR * 1_000;

/** `paused` says nothing about the mail, which is tried again. */
export type Ended =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed' | 'dropped' | 'later'; readonly reason: string }
  | { readonly outcome: 'paused'; readonly reason: string; readonly until: number };

export function dropMail(mail: MailDocument, now: number): MailDocument {
  return finish(mail, 'dropped', 'operator', now);
}

const finish = (
  mail: MailDocument,
  state: MailDocument['state'],
  reason: string | null,
  endedAt: number,
): MailDocument => ({ ...mail, state, reason, sealedLink: null, endedAt });

const applyAttempt = (mail: MailDocument, ended: Ended, now: number) => {
  if (ended.outcome === 'sent') return { mail: finish(mail, 'sent', null, now), dueAt: null };
  const { outcome, reason } = ended;
  if (outcome === 'failed' || outcome === 'dropped') return { mail: finish(mail, outcome, reason, now), dueAt: null };
  const isOld = now - mail.createdAt >= GIVEN_UP_MS;
  const attempts = outcome === 'later' ? mail.attempts + 1 : mail.attempts;
  const delay = ended.outcome === 'paused' ? ended.until - now : retryAfter(MAIL_RETRIES, attempts, Math.random());
  return isOld || delay === undefined
    ? { mail: { ...finish(mail, 'failed', reason, now), attempts }, dueAt: null }
    : { mail: { ...mail, attempts, reason }, dueAt: now + delay };
};

/** Milliseconds until a mail looks again for an earlier one that is under way or due. */
const BEHIND_MS = 1_000;

/** Deletes sent ones, too; returns the ids. */
export async function eraseMails(store: Store, institution: string, contactNumber: string): Promise<readonly string[]> {
  const mails = store.collection(mailsCollection).of(institution);
  const ids = (await mails.find({ where: { contactNumber } })).map(({ id }) => id);
  for (const id of ids) await mails.delete(id);
  return ids;
}

/** Times in epoch milliseconds. */
export function createOutbox(store: Store, now: () => number) {
  const handle: CollectionHandle<MailDocument> = store.collection(mailsCollection);
  const everywhere = handle.acrossInstitutions;

  /** Does nothing while the mail is under way. */
  const drop = ({ id }: MailDocument, at: number): Promise<MailDocument | undefined> =>
    everywhere.update(id, (current) =>
      current.state === 'waiting' && !isUnderWay(current, at)
        ? { next: finish(current, 'dropped', 'outdated', at), due: { [selectMailWork(current)]: null } }
        : undefined,
    );

  return {
    async add(institution: string, mails: readonly NewMail[], dueAt: number = now()): Promise<void> {
      const [first, ...rest] = mails;
      if (!first) return;
      const due = { [selectMailWork(first)]: dueAt };
      if (rest.length > 0) return void (await handle.of(institution).insertMany(mails, { due }));
      try {
        await handle.of(institution).insert(first, { due });
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
      }
    },
    /**
     * Mails of an order go in the order in which they were written; those that this one makes superfluous are dropped.
     * Undefined: it need not wait.
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
        const next = isUnderWay(left, at) ? 0 : (getDue(left)?.at ?? 0);
        until = Math.max(until ?? 0, next, at + BEHIND_MS);
      }
      return until;
    },
    /** Undefined if the mail is gone, or the claim under which it was read has ended. */
    link: (mail: MailDocument, sealedLink: string): Promise<MailDocument | undefined> =>
      everywhere.update(mail.id, (current) =>
        isStillHeld(current, mail) ? { next: { ...current, sealedLink } } : undefined,
      ),
    /** Without effect if the mail is gone or the claim under which it was read has ended. */
    async end(mail: MailDocument, ended: Ended): Promise<void> {
      const at = now();
      await everywhere.update(mail.id, (current) => {
        if (!isStillHeld(current, mail)) return undefined;
        const { mail: next, dueAt } = applyAttempt(current, ended, at);
        return { next, due: { [selectMailWork(current)]: dueAt } };
      });
    },
    delete: (mail: MailDocument): Promise<boolean> => everywhere.delete(mail.id),
    /** Undefined: none waits. */
    async oldest(): Promise<number | undefined> {
      const [mail] = await everywhere.find({ where: { state: 'waiting' }, orderBy: 'createdAt', limit: 1 });
      return mail?.createdAt;
    },
  };
}

const isUnderWay = (mail: MailDocument, now: number): boolean => {
  const due = getDue(mail);
  return due?.claim !== undefined && due.at > now;
};

const getDue = (mail: MailDocument): DueWork | undefined => mail.due?.[selectMailWork(mail)];

const isBefore = (one: MailDocument, other: MailDocument): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt;

/** Whether the earlier mail of the same order has nothing to say any more. */
const supersedes = ({ kind, move }: MailDocument, earlier: MailDocument): boolean =>
  (kind === 'cancelled' && ['confirmation', 'moved', 'lines-returned'].includes(earlier.kind)) ||
  (kind === 'moved' && earlier.move?.performanceId === move?.performanceId && earlier.kind === 'moved');

const isStillHeld = (current: MailDocument, mail: MailDocument): boolean =>
  current.state === 'waiting' && getDue(current)?.claim !== undefined && getDue(current)?.claim === getDue(mail)?.claim;

export type Outbox = ReturnType<typeof createOutbox>;
