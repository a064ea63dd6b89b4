// The tickets of an order in answers with `include=tickets`.

import { oneOf, requireScope } from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import { Type } from 'typebox';
import type { IncludedTickets } from '../api/ticket-schema.ts';
import type { OrdersContext } from '../context.ts';
import { hasTickets } from '../domain/confirmation.ts';
import { issueTickets } from '../saga/follow-ups.ts';
import type { OrderDocument } from '../store.ts';

/** The query of operations whose answer may have the tickets. */
export const ticketsQuery = {
  include: Type.Optional(
    oneOf(['tickets'], { description: 'also the tickets of the order, whole; needs the scope tickets:read' }),
  ),
};

/** @throws Fault `forbidden` if the tickets are asked for without the scope for them */
export function requireTicketsScope({ scopes }: Pick<Caller, 'scopes'>, include: string | undefined): void {
  if (include !== undefined) requireScope(scopes, 'tickets:read', 'include=tickets');
}

/**
 * Reads the tickets of an order; an order that is not sold has none. Those that the tickets service has not issued yet
 * are issued first.
 */
export async function readIncludedTickets(context: OrdersContext, order: OrderDocument): Promise<IncludedTickets> {
  if (!hasTickets(order)) return [];
  const read = async (): Promise<IncludedTickets> => {
    const found = await context.tickets.whole(order.institution, order.id);
    const byLine = new Map(found?.map((ticket) => [ticket.lineId, ticket]));
    const all = order.lines.flatMap(({ id }) => byLine.get(id) ?? []);
    return all.length === order.lines.length ? all : null;
  };
  const first = await read();
  if (first || order.state !== 'confirmed') return first;
  return issueTickets(context, order).then(read, () => null);
}
