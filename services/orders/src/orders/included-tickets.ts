// The tickets of an order in answers with `include=tickets`.

import { oneOf, requireScope } from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import { Type } from 'typebox';
import type { IncludedTickets } from '../api/ticket-schema.ts';
import type { OrdersContext } from '../context.ts';
import { hasTickets } from '../domain/confirmation.ts';
import { buildNamedTickets } from '../domain/order/facts.ts';
import type { OrderDocument } from '../store.ts';

export const ticketsQuery = {
  include: Type.Optional(
    oneOf(['tickets'], { description: 'also the tickets of the order, whole; needs the scope tickets:read' }),
  ),
};

/** @throws Fault `forbidden` if the tickets are asked for without the scope for them */
export function requireTicketsScope({ scopes }: Pick<Caller, 'scopes'>, include: string | undefined): void {
  if (include !== undefined) requireScope(scopes, 'tickets:read', 'include=tickets');
}

/** For issuing tickets first; with two reads it ends before the gateway stops waiting (15 s). Milliseconds. */
const ISSUE_MS = 4_000;

/**
 * Reads the current tickets of an order, in the order of its lines; an order that is not sold has none. Those that the
 * tickets service has not issued yet are issued first. Null if it does not answer.
 */
export async function readIncludedTickets(context: OrdersContext, order: OrderDocument): Promise<IncludedTickets> {
  if (!hasTickets(order)) return [];
  const { institution, id, version, state, lines } = order;
  const read = async (): Promise<IncludedTickets> => {
    const found = await context.tickets.whole(institution, id);
    const byLine = new Map(found?.map((ticket) => [ticket.lineId, ticket]));
    return found ? lines.flatMap((line) => byLine.get(line.id) ?? []) : null;
  };
  const isWhole = (tickets: IncludedTickets) => state !== 'confirmed' || tickets?.length === lines.length;
  const first = await read();
  if (first === null || isWhole(first)) return first;
  const issued = context.tickets.issue(institution, buildNamedTickets(order), version, ISSUE_MS);
  const second = await issued.then(read, () => null);
  return isWhole(second) ? second : null;
}
