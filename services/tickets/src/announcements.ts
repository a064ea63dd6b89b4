import type { Announcement } from '@boxoffice/service';
import type { Status, Ticket } from './domain/ticket.ts';
import type { TicketDocument } from './store.ts';
import { view } from './tickets/view.ts';

/** A change of a ticket that partners hear of was recorded. */
export const TICKET_RECORDED = 'ticket.recorded';

/** What an event shows of a ticket: neither barcode nor beneficiary. */
export const shownOf = (ticket: Ticket): object => ({
  status: ticket.status,
  orderId: ticket.orderId,
  lineId: ticket.lineId,
  performanceId: ticket.performanceId,
  seatCategoryId: ticket.seatCategoryId,
  tariffId: ticket.tariffId,
  placeId: ticket.place.id,
  price: ticket.price.amount,
  currency: ticket.price.currency,
  printedAt: ticket.printedAt,
  controlledAt: ticket.controlledAt,
  replaces: ticket.replaces,
  replacedBy: ticket.replacedBy,
});

/** The types of changes of the status. */
const steps: Readonly<Partial<Record<Status, Partial<Record<Status, string>>>>> = {
  not_printed: { printed: 'ticket.printed' },
  printed: { not_printed: 'ticket.printing_reverted', controlled: 'ticket.controlled' },
  controlled: { printed: 'ticket.control_reverted' },
};

const visible = (ticket: Ticket): string => JSON.stringify({ ...view(ticket), updatedAt: null });

const typeOf = (before: Ticket | undefined, after: Ticket): string | undefined => {
  if (!before) return after.status === 'cancelled' ? 'ticket.cancelled' : 'ticket.issued';
  if (before.status !== after.status) {
    if (after.status === 'cancelled') return 'ticket.cancelled';
    if (after.status === 'invalidated') return 'ticket.replaced';
    return steps[before.status]?.[after.status] ?? 'ticket.changed';
  }
  // What an erasure takes along is told by contact.erased.
  if (before.namesErasedAt !== after.namesErasedAt) return undefined;
  // Its performance moved.
  if (before.movedAsOf !== after.movedAsOf) return 'ticket.changed';
  return visible(before) === visible(after) ? undefined : 'ticket.changed';
};

/** The event of a write. */
export const announceTicket = (before: TicketDocument | undefined, after: TicketDocument): Announcement[] => {
  const type = typeOf(before, after);
  return type === undefined ? [] : [{ type, resource: { type: 'ticket', id: after.id }, data: shownOf(after) }];
};
