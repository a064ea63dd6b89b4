import type { EventView } from '../client/feed.ts';
import type { OrderView, TicketView } from '../client/views.ts';
import { type Evidence, grouped } from './evidence.ts';
import type { Check } from './verdict.ts';

/** How many events of each type a state implies. */
type Expected = Readonly<Record<string, number>>;

/** An order may expire several times: until it is bought, its places can be held again. */
const ofOrder = ({ state, confirmedAt, cancellation }: OrderView): Expected => ({
  'order.created': 1,
  'order.confirmed': confirmedAt === null ? 0 : 1,
  'order.cancelled': state === 'cancelled' ? 1 : 0,
  'order.settled': (cancellation?.settledAt ?? null) === null ? 0 : 1,
});

const ofTicket = ({ status }: TicketView, events: readonly EventView[]): Expected => ({
  // One whose order was cancelled before it was issued is only cancelled.
  'ticket.issued': status === 'cancelled' && events[0]?.type === 'ticket.cancelled' ? 0 : 1,
  'ticket.replaced': status === 'invalidated' ? 1 : 0,
  'ticket.cancelled': status === 'cancelled' ? 1 : 0,
});

const checkCounts = (id: string, expected: Expected, events: readonly EventView[], check: Check): void => {
  for (const [type, count] of Object.entries(expected)) {
    const found = events.filter((event) => event.type === type).length;
    check.that('I11', found === count, () => `${id} has ${found} events ${type} instead of ${count}`);
  }
};

const checkSequence = (events: readonly EventView[], check: Check): void => {
  for (const [index, { id, sequence }] of events.entries()) {
    const before = events[index - 1];
    const follows = before === undefined || sequence === before.sequence + 1;
    check.that('I11', follows, () => `the event ${id} has the sequence ${sequence}, after ${before?.sequence}`);
  }
};

const checkVersions = (id: string, events: readonly EventView[], check: Check): void => {
  const versions = events.map(({ resource }) => resource.version);
  const rise = versions.every((version, index) => index === 0 || version >= (versions[index - 1] ?? 0));
  check.that('I11', rise, () => `the events of ${id} have the versions ${versions.join(', ')}`);
};

const checkDelivered = (
  id: string,
  events: readonly EventView[],
  arrivals: ReadonlyMap<string, number>,
  check: Check,
): void => {
  const missing = events.filter((event) => !arrivals.has(event.id));
  check.that('I11', missing.length === 0, () => `${id}: ${missing.map(({ type }) => type).join(', ')} not delivered`);
  const order = events.map((event) => arrivals.get(event.id) ?? Number.POSITIVE_INFINITY);
  const rises = order.every((at, index) => index === 0 || at >= (order[index - 1] ?? 0));
  check.that('I11', rises, () => `${id}: the events were delivered in another order than that of the feed`);
};

/**
 * I11: every change has one event, without gaps and in order, and the last one says the present state; a webhook
 * delivers each, those of a resource in order.
 */
export const checkEvents = ({ observed, heard }: Evidence, check: Check): void => {
  if (!heard) return;
  const { events, delivered } = heard;
  checkSequence(events, check);
  const byResource = grouped(events, ({ resource }) => resource.id);
  for (const [id, own] of byResource) checkVersions(id, own, check);
  const arrivals = delivered && new Map([...delivered.received].map((id, index) => [id, index]));

  const about = (id: string, present: string, expected: Expected): void => {
    const own = byResource.get(id) ?? [];
    checkCounts(id, expected, own, check);
    const last = own.at(-1)?.data;
    const said = last?.state ?? last?.status;
    check.that('I11', said === present, () => `the last event of ${id} says ${said}, and it is ${present}`);
    if (!delivered || !arrivals) return;
    const covered = own.filter(({ type }) => delivered.covers(type));
    checkDelivered(id, covered, arrivals, check);
  };
  for (const order of observed.orders) {
    // A cart is no order before its checkout.
    const isCart = order.externalReference === null && !byResource.has(order.id) && order.confirmedAt === null;
    if (!isCart) about(order.id, order.state, ofOrder(order));
  }
  for (const ticket of observed.tickets)
    about(ticket.id, ticket.status, ofTicket(ticket, byResource.get(ticket.id) ?? []));
};
