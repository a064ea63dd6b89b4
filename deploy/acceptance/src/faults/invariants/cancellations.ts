import type { OrderView, TicketView } from '../client/views.ts';
import { type Evidence, grouped } from './evidence.ts';
import type { Check } from './verdict.ts';

const checkCancelled = (order: OrderView, tickets: readonly TicketView[], check: Check): void => {
  const { id, lines, confirmedAt, cancellation } = order;
  check.that('I3', cancellation !== null, () => `${id} is cancelled without a cancellation record`);
  if (cancellation === null) return;
  const { ticketsCancelled, controlled, placesReleased, settledAt } = cancellation;
  check.that('I3', settledAt !== null, () => `${id} is cancelled and not settled: ${JSON.stringify(cancellation)}`);
  if (settledAt === null) return;
  const hadTickets = confirmedAt !== null ? lines.length : 0;
  const controlledTickets = tickets.filter(({ status }) => status === 'controlled').length;
  const text = () => `${id} of ${lines.length} lines, ${controlledTickets} controlled: ${JSON.stringify(cancellation)}`;
  check.that('I3', controlled === controlledTickets, text);
  check.that('I3', ticketsCancelled === hadTickets - controlledTickets, text);
  check.that('I3', placesReleased === lines.length - controlledTickets, text);
};

/** I3: every cancelled order is settled with the right numbers, and no two requests both cancelled it. */
export const checkCancellations = ({ entries, observed }: Evidence, check: Check): void => {
  const tickets = grouped(observed.tickets, ({ orderId }) => orderId);
  for (const order of observed.orders) {
    if (order.state === 'cancelled') checkCancelled(order, tickets.get(order.id) ?? [], check);
    else check.that('I3', order.cancellation === null, () => `${order.id} is ${order.state} and has a cancellation`);
  }
  const acknowledged = entries.filter(({ action, outcome }) => action === 'cancel' && outcome === 'ok');
  for (const [id, twice] of grouped(acknowledged, ({ subject }) => subject ?? '')) {
    check.that('I3', twice.length === 1, () => `${id} was cancelled for ${twice.length} different requests`);
  }
};
