// Tickets for the point of sale: listed by contact or order, and the name on a ticket.

import type { Where } from '@boxoffice/store';
import type { InstitutionContext } from '../context.ts';
import { named, rename, replacedFor } from '../domain/beneficiary.ts';
import type * as domain from '../domain/ticket.ts';
import { changeOrReplace } from '../replacement/replace.ts';
import type { TicketDocument } from '../store.ts';
import { ticketsWhere } from '../tickets/lineage.ts';
import { allowed, getTicket, presentTicket, presentTickets } from '../tickets/tickets.ts';

/** The filter of a shop's tickets: by contact, by orders, or both; and by status. */
export interface Shown {
  readonly contactNumber: string | undefined;
  readonly orderIds: readonly string[] | undefined;
  readonly status: domain.Status | undefined;
}

const byStart = (one: TicketDocument, other: TicketDocument): number => {
  const [left, right] = [one.startDate ?? '~', other.startDate ?? '~'];
  if (left !== right) return left < right ? -1 : 1;
  return one.id < other.id ? -1 : 1;
};

/** All matching tickets, by the start of the performance (unknown ones last), then by id. */
export const shownTickets = async (
  { collections }: InstitutionContext,
  { contactNumber, orderIds, status }: Shown,
): Promise<TicketDocument[]> => {
  const where: Where = contactNumber === undefined ? {} : { contactNumber };
  // One query per order uses the index on orders; a condition on a list of orders would scan all tickets.
  const found = orderIds
    ? (
        await Promise.all([...new Set(orderIds)].map((orderId) => ticketsWhere(collections, { ...where, orderId })))
      ).flat()
    : await ticketsWhere(collections, where);
  // The replacing ticket may belong to another contact.
  const shown = found
    .filter((ticket) => contactNumber === undefined || ticket.contactNumber === contactNumber)
    .filter((ticket) => status === undefined || ticket.status === status);
  return (await presentTickets(collections, shown)).sort(byStart);
};

/**
 * Sets the beneficiary of a ticket (absent members stay, null removes) and returns the current ticket: the replacing
 * one if it is printed. Idempotent.
 * @throws {Fault} `ticket_already_controlled`; `precondition_failed` if cancelled; `conflict` if replaced otherwise
 */
export const nameTicket = async (
  context: InstitutionContext,
  id: string,
  names: Partial<domain.Beneficiary>,
): Promise<TicketDocument> => {
  const changed = await changeOrReplace(context, id, { ifMatch: () => {} }, (ticket, asNew, now) => {
    const wanted = named({ ...ticket.beneficiary, ...names });
    if (replacedFor(ticket, wanted)) return { next: ticket };
    return { next: allowed(rename(ticket, wanted, asNew, now), 'pointOfSale') };
  });
  const { collections } = context;
  return presentTicket(collections, await getTicket(collections, changed.id));
};
