import type { Collections } from '../context.ts';
import { asItIsNow } from '../domain/performance.ts';
import type { Ticket } from '../domain/ticket.ts';

/**
 * The tickets with time and place of their performances as they are now. A ticket stores those of its sale: so it does
 * not matter whether it was issued, printed or replaced before its performance moved or after.
 */
export const presentTickets = async <T extends Ticket>(
  { performances }: Pick<Collections, 'performances'>,
  tickets: readonly T[],
): Promise<T[]> => {
  const ids = [...new Set(tickets.map(({ performanceId }) => performanceId))];
  const moved = ids.length === 0 ? [] : await performances.find({ where: { id: { in: ids } } });
  const byId = new Map(moved.map((performance) => [performance.id, performance]));
  return tickets.map((ticket) => asItIsNow(ticket, byId.get(ticket.performanceId)));
};

/** The ticket with time and place of its performance as they are now. */
export const presentTicket = async <T extends Ticket>(
  { performances }: Pick<Collections, 'performances'>,
  ticket: T,
): Promise<T> => asItIsNow(ticket, await performances.get(ticket.performanceId));
