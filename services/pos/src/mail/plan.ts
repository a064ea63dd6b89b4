import { type Message, Unreadable } from '@boxoffice/messaging';
import type { New } from '@boxoffice/store';
import { derived, FRESH_MS, type MailDocument, type MailKind } from '../store.ts';

/** A mail before its first attempt. */
export type NewMail = New<MailDocument>;

type About = Pick<NewMail, 'kind' | 'orderId' | 'pointOfSale' | 'contactNumber'> &
  Partial<Pick<NewMail, 'move' | 'refund' | 'bulk'>>;

/**
 * The mail of an order about one thing; `thing` distinguishes mails of the same kind. A fact that is delivered twice
 * leads to the same id.
 */
const mailOf = (about: About, institution: string, thing: string, now: number): NewMail => ({
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

/** A performance that moved, as its fact says it. */
export interface Move {
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
