import { findReaction, type Message, Unreadable } from '@boxoffice/messaging';
import { type Idempotency, readDocuments, runForEach } from '@boxoffice/store';
import type { OrdersContext } from './context.ts';
import { recordPlacesReleased, recordTicketsCancelled, releaseCauses } from './domain/cancellation.ts';
import { eraseNames } from './domain/cart.ts';
import { lapseControlledChange } from './domain/changes/follow.ts';
import { moveLines } from './domain/changes/policy.ts';
import { recordControl, recordReplacement } from './domain/confirmation.ts';
import type { Accepted } from './domain/decisions.ts';
import { hasNames } from './domain/order/facts.ts';
import { endOfPerformances } from './orders/actions.ts';
import type { OrderDocument } from './store.ts';

/** @throws {Unreadable} */
const readText = ({ type, data }: Message, name: string): string => {
  const value = (data as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string') throw new Unreadable(`${type} needs ${name}`);
  return value;
};

/** From 0. @throws {Unreadable} */
const readCount = ({ type, data }: Message, name: string): number => {
  const value = (data as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Unreadable(`${type} needs ${name}`);
  return value;
};

type Transition = (order: OrderDocument, now: number) => Accepted<OrderDocument>;

/** What is known of a ticket may refuse a pending change. */
const mayLapse =
  (note: Transition): Transition =>
  (order, now) => {
    const noted = note(order, now);
    return { ...noted, next: lapseControlledChange(noted.next, now) };
  };

/** @throws {Unreadable} */
const transitions: Readonly<Record<string, (message: Message) => Transition>> = {
  'tickets.cancelled': (message) => {
    const counts = {
      ticketsCancelled: readCount(message, 'ticketsCancelled'),
      controlled: readCount(message, 'controlled'),
    };
    return (order, now) => recordTicketsCancelled(order, { version: message.version, ...counts }, now);
  },
  'places.released': (message) => {
    const placesReleased = readCount(message, 'placesReleased');
    const named = readText(message, 'cause');
    const cause = releaseCauses.find((known) => known === named);
    if (!cause) throw new Unreadable(`${message.type} has an unknown cause`);
    return (order, now) => recordPlacesReleased(order, { version: message.version, cause, placesReleased }, now);
  },
  // So that a cancellation can be decided while the tickets service is down.
  'ticket.controlled': (message) => {
    const ticketId = readText(message, 'ticketId');
    return mayLapse((order) => recordControl(order, { ticketId, version: message.version, controlled: true }));
  },
  'ticket.control_reverted': (message) => {
    const ticketId = readText(message, 'ticketId');
    return (order) => recordControl(order, { ticketId, version: message.version, controlled: false });
  },
  'ticket.replaced': (message) => {
    const [lineId, ticketId] = [readText(message, 'lineId'), readText(message, 'ticketId')];
    const replaces = readText(message, 'replaces');
    return mayLapse((order, now) => recordReplacement(order, { lineId, ticketId, replaces }, now));
  },
};

/** They share one queue, so that the events of one order keep their sequence. Those of unknown orders are ignored. */
export async function applyFulfilment(context: OrdersContext, message: Message): Promise<void> {
  const transition = findReaction(transitions, message)(message);
  await context.orders.of(message.institution).update(readText(message, 'orderId'), (order) => {
    const { next, facts } = transition(order, context.now());
    return next === order ? undefined : { next, events: facts };
  });
}

const WIDTH = 16;

/** Every order that has, had or is about to have a place of the performance. */
const forEachOrder = async (
  context: Pick<OrdersContext, 'orders' | 'links'>,
  institution: string,
  performanceId: string,
  act: (order: OrderDocument) => Promise<void>,
): Promise<void> => {
  const orders = context.orders.of(institution);
  const where = { performanceId };
  await runForEach(readDocuments(orders, { where }), WIDTH, act);
  await runForEach(readDocuments(context.links.of(institution), { where }), WIDTH, async ({ orderId }) => {
    const order = await orders.get(orderId);
    if (order) await act(order);
  });
};

/** Skips orders that are already cancelled, so it may be interrupted and repeated. */
export async function cancelPerformanceOrders(context: OrdersContext, message: Message): Promise<void> {
  const { institution } = message;
  const performanceId = readText(message, 'performanceId');
  // Before the search: an order that it does not find yet finds this (`cancelIfOver`).
  await context.cancelledPerformances.of(institution).insertMany([{ id: performanceId }]);
  await forEachOrder(context, institution, performanceId, (order) =>
    endOfPerformances(context, order, [performanceId]),
  );
}

/** The instants of its lines' return policies move along. May be interrupted and repeated. */
export async function movePerformanceLines(context: OrdersContext, message: Message): Promise<void> {
  const { institution, version: asOf } = message;
  const [performanceId, startDate] = [readText(message, 'performanceId'), readText(message, 'startDate')];
  await forEachOrder(context, institution, performanceId, async ({ id }) => {
    await context.orders.of(institution).update(id, (order) => {
      const next = moveLines(order, { performanceId, startDate, asOf }, context.now());
      return next === order ? undefined : { next };
    });
  });
}

/** Also deletes the cached answers that contain the contact. Orders keep its number, so that they stay valid. */
export async function eraseContact(
  context: Pick<OrdersContext, 'orders' | 'now'>,
  idempotency: Pick<Idempotency, 'forget'>,
  message: Message,
): Promise<void> {
  const contactNumber = readText(message, 'contactNumber');
  const orders = context.orders.of(message.institution);
  for await (const found of readDocuments(orders, { where: { contactNumber }, orderBy: 'listedAt' })) {
    // Answers from before the contact became the buyer have only the order among their subjects.
    if (hasNames(found)) await idempotency.forget(found.id);
    await orders.update(found.id, (order) => {
      if (order.contactNumber !== contactNumber || order.erasedContact === contactNumber) return undefined;
      return { next: { ...eraseNames(order, context.now()), erasedContact: contactNumber } };
    });
  }
  await idempotency.forget(contactNumber);
}
