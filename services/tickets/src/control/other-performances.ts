import { formatWallTime } from '@boxoffice/http/local-time';
import type { Static } from 'typebox';
import type { Collections } from '../context.ts';
import type { Ticket } from '../domain/ticket.ts';
import { applyPerformances } from '../tickets/tickets.ts';
import type { NewScan } from './scans.ts';
import type { OtherPerformance } from './schemas.ts';

/** Finds by ticket, as they are now, those of tickets that were scanned at another door. */
export async function findOtherPerformances(
  collections: Pick<Collections, 'tickets' | 'performances'>,
  scans: readonly NewScan[],
): Promise<ReadonlyMap<string, Static<typeof OtherPerformance>>> {
  const elsewhere = scans.flatMap(({ ticketId, otherPerformanceId }) =>
    ticketId !== null && otherPerformanceId !== undefined ? [ticketId] : [],
  );
  if (elsewhere.length === 0) return new Map();
  const tickets = await collections.tickets.find({ where: { id: { in: [...new Set(elsewhere)] } } });
  const present = await applyPerformances(collections, tickets);
  return new Map(
    present.flatMap((ticket) => {
      const performance = describePerformance(ticket);
      return performance ? [[ticket.id, performance] as const] : [];
    }),
  );
}

const describePerformance = ({ about, startDate }: Ticket): Static<typeof OtherPerformance> | undefined => {
  if (!about) return undefined;
  const { product: name, productType: type = 'show', venue, timeZone, validUntil } = about;
  const local = (instant: string | null | undefined) => (instant ? formatLocalTime(instant, timeZone) : null);
  return { name, type, venue, localStart: local(startDate), localEnd: local(validUntil) };
};

/** `2027-03-14T19:30` for an instant in ISO 8601. */
const formatLocalTime = (instant: string, timeZone: string): string => formatWallTime(instant, timeZone).slice(0, 16);
