import { formatLocalDay } from '@boxoffice/http/local-time';
import type { Collections } from '../context.ts';
import type { Admittance } from '../domain/control.ts';
import type { Ticket } from '../domain/ticket.ts';
import { applyPerformance } from '../tickets/tickets.ts';

/** Time and place are those of the performance now; undefined if the ticket admits once, or is none. */
export async function findAdmittance(
  collections: Pick<Collections, 'performances'>,
  ticket: Ticket | undefined,
): Promise<Admittance | undefined> {
  if (ticket?.about?.entries === undefined) return undefined;
  const { startDate = null, about = ticket.about } = await applyPerformance(collections, ticket);
  const { timeZone, validUntil = null } = about;
  return {
    entries: ticket.about.entries,
    validFrom: startDate,
    validUntil,
    dayOf: (instant) => formatLocalDay(instant, timeZone),
  };
}
