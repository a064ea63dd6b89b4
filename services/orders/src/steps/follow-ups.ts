// What follows in other services once an order is written: its tickets with their names, the contacts of its guests.

import type { Change, IdempotencyRecord } from '@boxoffice/store';
import type { IssuedTicket } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { markGuestWritten, removeFormerGuests } from '../domain/buyer.ts';
import { recordReplacement } from '../domain/confirmation.ts';
import { buildNamedTickets } from '../domain/order/facts.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Issues the tickets of a confirmed order by a direct call, which is the only one that carries the beneficiaries'
 * names. With names, the order records that the call must be repeated until acknowledged, and its event leaves the
 * issue to the call; without names the event is enough. Returns the order afterwards, with the tickets of its lines;
 * undefined if tickets did not acknowledge. The idempotency record is written with the acknowledgement of names.
 */
export async function issueTickets(
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument | undefined> {
  const { institution, id, version, namesDue } = order;
  const issued = await context.tickets.issue(institution, buildNamedTickets(order), version);
  if (!issued || namesDue == null) return issued && order;
  const acknowledge = (current: OrderDocument): Change<OrderDocument> | undefined => {
    if (current.namesDue !== namesDue) return idempotencyRecord && { next: current };
    // What was written since the call may know of later tickets: then the events of replacements say it.
    const known = current.version === version ? withTickets(current, issued, context.now()) : current;
    return { next: { ...known, namesDue: null } };
  };
  return context.orders.of(institution).update(id, acknowledge, { idempotencyRecord });
}

/** The order with the tickets that replaced those of its lines. */
const withTickets = (order: OrderDocument, issued: readonly IssuedTicket[], now: number): OrderDocument =>
  issued.reduce((next, { lineId, ticketId }) => {
    const replaces = next.lines.find(({ id }) => id === lineId)?.ticketId ?? ticketId;
    return replaces === ticketId ? next : recordReplacement(next, { lineId, ticketId, replaces }, now).next;
  }, order);

/**
 * Issues the tickets of a request whose answer shows them. While names are due it writes the idempotency record, which
 * the order's own write has left out: with the acknowledgement, or without one if tickets gave none. So an erasure
 * meanwhile has removed the names from the answer, or removes the answer.
 */
export async function answerWithTickets(
  context: OrdersContext,
  order: OrderDocument,
  record: IdempotencyRecord<OrderDocument> | undefined,
): Promise<OrderDocument> {
  const idempotencyRecord = order.namesDue == null ? undefined : record;
  const issued = await issueTickets(context, order, idempotencyRecord);
  if (issued || !idempotencyRecord) return issued ?? order;
  const { institution, id } = order;
  const unchanged = (current: OrderDocument) => ({ next: current });
  return (await context.orders.of(institution).update(id, unchanged, { idempotencyRecord })) ?? order;
}

/**
 * Guests of carts: writes the contact of an order's guest, then deletes the guest's data from the order. Runs only
 * after the checkout is accepted; idempotent. @throws Fault `service_unavailable`
 */
export async function writeGuest(context: OrdersContext, order: OrderDocument): Promise<OrderDocument | undefined> {
  const { institution, id, contactNumber, guest } = order;
  if (!guest || contactNumber === null) return order;
  await context.contacts.writeGuest(institution, contactNumber, guest);
  return context.orders
    .of(institution)
    .update(id, (current) => changed(current, markGuestWritten(current, contactNumber, guest.since, context.now())));
}

const changed = (current: OrderDocument, next: OrderDocument) => (next === current ? undefined : { next });

/** As {@link writeGuest}, but a failure is only logged: it stays due. */
export async function writeGuestOrLater(context: OrdersContext, order: OrderDocument): Promise<void> {
  await writeGuest(context, order).catch((error: unknown) =>
    context.log.warn("the contact of an order's guest is written later", { error }),
  );
}

/**
 * Erases the contacts of former guests that no order names any more; idempotent. @throws Fault `service_unavailable`
 */
export async function forgetGuests(context: OrdersContext, order: OrderDocument): Promise<OrderDocument | undefined> {
  const { institution, id, formerGuests } = order;
  if (!formerGuests) return order;
  const orders = context.orders.of(institution);
  for (const contactNumber of formerGuests.contactNumbers) {
    const isNamed = (await orders.count({ contactNumber })) > 0;
    if (!isNamed) await context.contacts.forgetGuest(institution, contactNumber);
  }
  return orders.update(id, (current) => changed(current, removeFormerGuests(current, formerGuests)));
}
