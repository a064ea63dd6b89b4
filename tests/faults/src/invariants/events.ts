import type { ChangeView, OrderView, TicketView } from '../client/api.ts';
import type { Delivered, EventView } from '../client/feed.ts';
import type { Check, Evidence } from './verdict.ts';

/** How many events of each type a state implies. An order may expire several times. */
type Expected = Readonly<Record<string, number>>;

/** events: the feed says every change and the present state of each order and ticket; a webhook delivers its share. */
export function checkEvents({ observed, received }: Evidence, check: Check): void {
  if (!received) return;
  const byResource = Map.groupBy(received.events, ({ resource }) => resource.id);
  for (const order of observed.orders) {
    const { id, externalReference, confirmedAt } = order;
    // A cart is no order before its checkout.
    const isCart = externalReference === null && !byResource.has(id) && confirmedAt === null;
    const events = byResource.get(id) ?? [];
    if (!isCart)
      checkResource(id, orSaidByPayment(order, received.events), ofOrder(order), events, received.delivered, check);
  }
  for (const ticket of observed.tickets) {
    const events = byResource.get(ticket.id) ?? [];
    checkResource(ticket.id, [ticket.status], ofTicket(ticket, events), events, received.delivered, check);
  }
}

/** The states of which the last event may speak: of a payment that failed `payment.failed` alone tells. */
const orSaidByPayment = ({ id, state }: OrderView, events: readonly EventView[]): readonly string[] => {
  const hasFailed = events.some(({ type, data }) => type === 'payment.failed' && data.orderId === id);
  return state === 'open' && hasFailed ? [state, 'payment_pending'] : [state];
};

/** The events of one resource: one of each change, the last with the present state, all delivered in their order. */
const checkResource = (
  id: string,
  present: readonly string[],
  expected: Expected,
  events: readonly EventView[],
  delivered: Delivered | undefined,
  check: Check,
): void => {
  for (const [type, count] of Object.entries(expected)) {
    const found = events.filter((event) => event.type === type).length;
    check.that('events', found === count, () => `${id} has ${found} events ${type} instead of ${count}`);
  }
  const last = events.at(-1)?.data;
  const said = last?.state ?? last?.status;
  const isSaid = said !== undefined && present.includes(said);
  check.that('events', isSaid, () => `the last event of ${id} says ${said}, and it is ${present[0]}`);
  const versions = events.map(({ resource }) => resource.version);
  const isGrowing = versions.every((version, index) => version >= (versions[index - 1] ?? 0));
  check.that('events', isGrowing, () => `the events of ${id} have the versions ${versions.join(', ')}`);
  if (!delivered) return;
  const arrivals = [...delivered.received];
  const covered = events.filter(({ type }) => delivered.covers(type)).map((event) => event.id);
  const order = covered.map((event) => arrivals.indexOf(event));
  check.that('events', !order.includes(-1), () => `${id}: ${covered[order.indexOf(-1)]} was not delivered`);
  const inOrder = order.every((at, index) => at >= (order[index - 1] ?? 0));
  check.that('events', inOrder, () => `${id}: the events were delivered in another order than that of the feed`);
};

const ofOrder = ({ state, confirmedAt, cancellation }: OrderView): Expected => ({
  'order.created': 1,
  'order.confirmed': confirmedAt === null ? 0 : 1,
  'order.cancelled': state === 'cancelled' ? 1 : 0,
  'order.settled': (cancellation?.settledAt ?? null) === null ? 0 : 1,
});

const ENDS: Readonly<Record<string, string>> = { cancelled: 'ticket.cancelled', invalidated: 'ticket.replaced' };

const ofTicket = ({ status }: TicketView, events: readonly EventView[]): Expected => ({
  // One whose order was cancelled, or whose line left, before it was issued only ends.
  'ticket.issued': ENDS[status] !== undefined && events[0]?.type === ENDS[status] ? 0 : 1,
  'ticket.replaced': status === 'invalidated' ? 1 : 0,
  'ticket.cancelled': status === 'cancelled' ? 1 : 0,
});

/** What the feed says of a change in that state; a late capture does one after all that has lapsed. */
const TOLD = {
  pending: /^(change_pending )?$/,
  lapsed: /^(change_pending )?(change_lapsed )+$/,
  done: /^(change_pending )?(change_lapsed )*lines_changed (change_settled )?$/,
} as const;

/** events: of a change that is done exactly one `order.lines_changed`, then of one that is settled that it is so. */
export function checkChangeEvents(changes: readonly ChangeView[], events: readonly EventView[], check: Check): void {
  // Events of payments name a change, too.
  const ofOrders = events.filter(({ type }) => type.startsWith('order.'));
  const byChange = Map.groupBy(ofOrders, ({ data }) => data.changeId);
  for (const { id, state, settlement } of changes) {
    const told = (byChange.get(id) ?? []).map(({ type }) => `${type.replace('order.', '')} `).join('');
    const isSettled = told.includes('change_settled');
    const isTrue = TOLD[state].test(told) && isSettled === (settlement.settledAt !== null);
    check.that('events', isTrue, () => `${id} is ${state}, ${settlement.settledAt}, and the feed says ${told}`);
  }
}
