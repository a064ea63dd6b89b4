import type { OrderView, TicketView } from '../client/views.ts';
import { type Evidence, grouped, isLive } from './evidence.ts';
import type { Check } from './verdict.ts';

const checkConfirmed = ({ id, lines }: OrderView, tickets: readonly TicketView[], check: Check): void => {
  for (const line of lines) {
    const live = tickets.filter((ticket) => ticket.lineId === line.id && isLive(ticket));
    check.that('I4', live.length === 1, () => `line ${line.id} of ${id} has ${live.length} live tickets`);
    const [ticket] = live;
    if (ticket === undefined) continue;
    check.that('I4', ticket.id === line.ticketId, () => `${id} names ticket ${line.ticketId}, it is ${ticket.id}`);
    check.that(
      'I4',
      ticket.place.id === line.place.id,
      () => `ticket ${ticket.id} is for ${ticket.place.id}, its line for ${line.place.id}`,
    );
  }
};

/** I4: each line of a confirmed order has one live ticket, and every live ticket belongs to such a line. */
export const checkTickets = ({ observed }: Evidence, check: Check): void => {
  const { orders, tickets } = observed;
  const byOrder = grouped(tickets, ({ orderId }) => orderId);
  const known = new Map(orders.map((order) => [order.id, order]));
  for (const order of orders) {
    const own = byOrder.get(order.id) ?? [];
    if (order.state === 'confirmed') checkConfirmed(order, own, check);
    const lines = new Set(order.lines.map(({ id }) => id));
    for (const { id, lineId } of own) {
      check.that('I4', lines.has(lineId), () => `ticket ${id} is for line ${lineId}, which ${order.id} lacks`);
    }
    if (order.state !== 'cancelled') continue;
    const open = own.filter(({ status }) => status === 'not_printed' || status === 'printed');
    check.that('I4', open.length === 0, () => `${order.id} is cancelled, its ticket ${open[0]?.id} is not`);
  }
  for (const { id, orderId, status } of tickets) {
    const order = known.get(orderId);
    const explained = order !== undefined && (order.state === 'confirmed' || order.state === 'cancelled');
    check.that(
      'I4',
      explained,
      () => `ticket ${id} (${status}) is of ${orderId}, which is ${order?.state ?? 'unknown'}`,
    );
  }
};
