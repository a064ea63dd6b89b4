import { findReaction, type Message, Unreadable } from '@boxoffice/messaging';
import { readDocuments, runForEach } from '@boxoffice/store';
import { type Context, readTimestamp } from './context.ts';
import { markOutdated, movePerformance, type Whereabouts } from './domain/performance.ts';
import { cancelTickets, type OrderCancelled } from './issue/cancel.ts';
import { changeOrInsert, type TicketDocument } from './store.ts';
import { deleteNames, recordErasure } from './tickets/tickets.ts';

/** An order that was never confirmed has no tickets. */
const onOrderCancelled = async (context: Context, message: Message): Promise<void> => {
  const {
    orderId,
    hadTickets,
    override = false,
    placeIds,
  } = message.data as Partial<OrderCancelled & { readonly hadTickets: boolean }>;
  if (typeof orderId !== 'string' || typeof hadTickets !== 'boolean' || !Array.isArray(placeIds)) {
    throw new Unreadable('order.cancelled needs orderId, hadTickets and placeIds');
  }
  if (hadTickets) await cancelTickets(context, message.institution, { orderId, override, placeIds });
};

/** Also for confirmations that arrive later. */
const onContactErased = async (context: Context, { institution, data }: Message): Promise<void> => {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  const collections = context.collections(institution);
  await recordErasure(context, collections, contactNumber);
  await deleteNames(context, collections, contactNumber);
};

/** Few at a time, so that requests have their turn beside a performance with many tickets. */
const WIDTH = 4;

/** @throws Unreadable */
const readMoved = ({ data }: Message): Whereabouts & { readonly performanceId: string } => {
  const { performanceId, startDate, timeZone, venue } = data as Partial<ReturnType<typeof readMoved>>;
  const { name, city } = (venue ?? {}) as Partial<Whereabouts['venue']>;
  const time = typeof startDate === 'string' ? Date.parse(startDate) : Number.NaN;
  if (typeof performanceId !== 'string' || Number.isNaN(time) || typeof timeZone !== 'string' || !name)
    throw new Unreadable('performance.moved needs performanceId, startDate, timeZone and venue.name');
  return { performanceId, startDate: new Date(time).toISOString(), timeZone, venue: { name, city: city ?? null } };
};

/**
 * Every ticket shows the present time and place as soon as that is recorded here; then the printed ones are changed one
 * by one, each with an event. May be interrupted and repeated.
 */
const onPerformanceMoved = async (context: Context, message: Message): Promise<void> => {
  const { version } = message;
  const { performanceId, ...to } = readMoved(message);
  const { performances, tickets } = context.collections(message.institution);
  const first = { id: performanceId, ...to, asOf: version, movedAsOf: version };
  const { document: now } = await changeOrInsert(performances, first, (known) => movePerformance(known, to, version));
  if (now.asOf > version) return;
  const mark = (ticket: TicketDocument) => {
    const next = markOutdated(ticket, now, readTimestamp(context));
    return next === ticket ? undefined : { next };
  };
  const where = { performanceId, status: 'printed' };
  await runForEach(readDocuments(tickets, { where, orderBy: 'createdAt' }), WIDTH, ({ id }) =>
    tickets.update(id, mark),
  );
};

const reactions: Readonly<Record<string, (context: Context, message: Message) => Promise<void>>> = {
  // The queue of release 0.3.0 is bound to it.
  'order.confirmed': async () => undefined,
  'order.cancelled': onOrderCancelled,
  'contact.erased': onContactErased,
  'performance.moved': onPerformanceMoved,
};

export function reactTo(context: Context) {
  return async (message: Message): Promise<void> => {
    await findReaction(reactions, message)(context, message);
  };
}
