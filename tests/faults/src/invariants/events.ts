import type { Delivered, EventView } from '../client/feed.ts';
import type { Check, Evidence } from './verdict.ts';

/** The events of one resource: in order, the last one with the present state, and all delivered in that order. */
const checkResource = (
  id: string,
  present: string,
  events: readonly EventView[],
  delivered: Delivered | undefined,
  check: Check,
): void => {
  const versions = events.map(({ resource }) => resource.version);
  const rise = versions.every((version, index) => version >= (versions[index - 1] ?? 0));
  check.that('events', rise, () => `the events of ${id} have the versions ${versions.join(', ')}`);
  for (const type of ['order.created', 'order.confirmed', 'order.cancelled', 'order.settled', 'ticket.issued']) {
    const count = events.filter((event) => event.type === type).length;
    check.that('events', count <= 1, () => `${id} has ${count} events ${type}`);
  }
  const last = events.at(-1)?.data;
  const said = last?.state ?? last?.status;
  check.that('events', said === present, () => `the last event of ${id} says ${said}, and it is ${present}`);
  if (!delivered) return;
  const arrivals = [...delivered.received];
  const covered = events.filter(({ type }) => delivered.covers(type)).map((event) => event.id);
  const order = covered.map((event) => arrivals.indexOf(event));
  check.that('events', !order.includes(-1), () => `${id}: ${covered[order.indexOf(-1)]} was not delivered`);
  const inOrder = order.every((at, index) => at >= (order[index - 1] ?? 0));
  check.that('events', inOrder, () => `${id}: the events were delivered in another order than that of the feed`);
};

/** events: the feed has no gap and says the present state of each order and ticket; a webhook delivers its share. */
export const checkEvents = ({ observed, heard }: Evidence, check: Check): void => {
  if (!heard) return;
  for (const [index, { id, sequence }] of heard.events.entries()) {
    const before = heard.events[index - 1];
    const follows = before === undefined || sequence === before.sequence + 1;
    check.that('events', follows, () => `the event ${id} has the sequence ${sequence}, after ${before?.sequence}`);
  }
  const byResource = Map.groupBy(heard.events, ({ resource }) => resource.id);
  for (const { id, state, externalReference, confirmedAt } of observed.orders) {
    // A cart is no order before its checkout.
    const isCart = externalReference === null && !byResource.has(id) && confirmedAt === null;
    if (!isCart) checkResource(id, state, byResource.get(id) ?? [], heard.delivered, check);
  }
  for (const { id, status } of observed.tickets)
    checkResource(id, status, byResource.get(id) ?? [], heard.delivered, check);
};
