import type { OrderView, TicketView } from '../client/views.ts';
import type { Entry } from '../round/journal.ts';
import { type Evidence, grouped, isInterrupted } from './evidence.ts';
import type { Check } from './verdict.ts';

/** Changes of lines that a crash may have cut short: what they held is released with the order at the latest. */
const interrupted = (entries: readonly Entry[]): number =>
  entries.filter((entry) => (entry.action === 'add' || entry.action === 'remove') && isInterrupted(entry)).length;

const checkCancelled = (order: OrderView, tickets: readonly TicketView[], leftOver: number, check: Check): void => {
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
  const least = lines.length - controlledTickets;
  check.that('I3', placesReleased !== null && placesReleased >= least && placesReleased <= least + leftOver, text);
};

/** I3: every cancelled order is settled with the right numbers, and no two requests both cancelled it. */
export const checkCancellations = ({ entries, observed }: Evidence, check: Check): void => {
  const tickets = grouped(observed.tickets, ({ orderId }) => orderId);
  const about = grouped(entries, ({ subject }) => subject ?? '');
  for (const order of observed.orders) {
    const leftOver = interrupted(about.get(order.id) ?? []);
    if (order.state === 'cancelled') checkCancelled(order, tickets.get(order.id) ?? [], leftOver, check);
    else check.that('I3', order.cancellation === null, () => `${order.id} is ${order.state} and has a cancellation`);
  }
  const acknowledged = entries.filter(({ action, outcome }) => action === 'cancel' && outcome === 'ok');
  for (const [id, twice] of grouped(acknowledged, ({ subject }) => subject ?? '')) {
    check.that('I3', twice.length === 1, () => `${id} was cancelled for ${twice.length} different requests`);
  }
};
