import type { Collections } from '../context.ts';
import type { Admittance } from '../domain/control.ts';
import type { Ticket } from '../domain/ticket.ts';
import { presentTicket } from '../tickets/tickets.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day by the clocks of a time zone, `2026-12-31`. */
const localDay = (instant: string, timeZone: string): string => {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  formats.set(timeZone, format);
  return format.format(Date.parse(instant));
};

/**
 * How this ticket admits more than once, by time and place of its performance as they are now; undefined if it admits
 * once, or is none.
 */
export const admittanceOf = async (
  collections: Pick<Collections, 'performances'>,
  ticket: Ticket | undefined,
): Promise<Admittance | undefined> => {
  if (ticket?.about?.entries === undefined) return undefined;
  const { startDate = null, about = ticket.about } = await presentTicket(collections, ticket);
  const { timeZone, validUntil = null } = about;
  return {
    entries: ticket.about.entries,
    validFrom: startDate,
    validUntil,
    dayOf: (instant) => localDay(instant, timeZone),
  };
};
