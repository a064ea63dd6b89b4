import type { Change, IdempotencyRecord } from '@boxoffice/store';
import type { IssuedTicket } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { markGuestWritten, removeFormerGuests } from '../domain/buyer.ts';
import { findUnsettledChange } from '../domain/changes/change.ts';
import { hasTickets, recordReplacement } from '../domain/confirmation.ts';
import { buildNamedTickets } from '../domain/order/facts.ts';
import { type OrderDocument, ordersCollection } from '../store.ts';

/**
 * Issues the tickets of an order, with the names and the buyer that it has now; tickets that exist follow. Idempotent.
 * @throws Fault `service_unavailable`
 */
export async function issueTickets(context: OrdersContext, order: OrderDocument): Promise<void> {
  if (hasTickets(order)) await context.tickets.issue(order.institution, buildNamedTickets(order), order.version);
}

/** Whether tickets has what it was told: one that a change is about to issue may have an earlier buyer or name. */
export function isIssueFinal(order: OrderDocument): boolean {
  return findUnsettledChange(order) === undefined;
}

/**
 * As {@link issueTickets}, for a request that does at once what its write has made due, and goes on without an answer of
 * tickets. The end of the work is no write of the order, whose version is answered.
 */
export async function issueAtOnce(context: OrdersContext, order: OrderDocument): Promise<void> {
  const work = order.due?.issueTickets;
  if (!work) return;
  const issued = await context.tickets.issueAtOnce(order.institution, buildNamedTickets(order), order.version);
  if (issued && isIssueFinal(order))
    context.endedWork.record({ collection: ordersCollection.name, id: order.id, name: 'issueTickets', work });
}

/**
 * As {@link issueAtOnce}, for a change of a name, which may replace tickets: the order is written with these, and with
 * the idempotency record, which the write of the change has left out. Without an acknowledgement the record is written
 * alone. So an erasure meanwhile has removed the names from the answer, or removes the answer.
 */
export async function answerWithTickets(
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord: IdempotencyRecord<OrderDocument> | undefined,
): Promise<OrderDocument> {
  const { institution, id, version } = order;
  const issued = await context.tickets.issueAtOnce(institution, buildNamedTickets(order), version);
  const answer = (current: OrderDocument): Change<OrderDocument> | undefined => {
    // What was written since the call may know of later tickets: the events of replacements say it.
    if (!issued || current.version !== version) return idempotencyRecord && { next: current };
    const next = withTickets(current, issued, context.now());
    return isIssueFinal(current) ? { next, due: { issueTickets: null } } : { next };
  };
  return (await context.orders.of(institution).update(id, answer, { idempotencyRecord })) ?? order;
}

const withTickets = (order: OrderDocument, issued: readonly IssuedTicket[], now: number): OrderDocument =>
  issued.reduce((next, { lineId, ticketId }) => {
    const replaces = next.lines.find(({ id }) => id === lineId)?.ticketId ?? ticketId;
    return replaces === ticketId ? next : recordReplacement(next, { lineId, ticketId, replaces }, now).next;
  }, order);

/** Then deletes the guest's data from the order; idempotent. @throws Fault `service_unavailable` */
export async function writeGuest(context: OrdersContext, order: OrderDocument): Promise<OrderDocument | undefined> {
  const { institution, id, contactNumber, guest } = order;
  if (!guest || contactNumber === null) return order;
  await context.contacts.writeGuest(institution, contactNumber, guest);
  return context.orders
    .of(institution)
    .update(id, (current) => toChange(current, markGuestWritten(current, contactNumber, guest.since, context.now())));
}

const toChange = (current: OrderDocument, next: OrderDocument) => (next === current ? undefined : { next });

/** As {@link writeGuest}, but a failure is only logged: it stays due. */
export async function writeGuestOrLater(context: OrdersContext, order: OrderDocument): Promise<void> {
  await writeGuest(context, order).catch((error: unknown) =>
    context.log.warn("the contact of an order's guest is written later", { error }),
  );
}

/** Those that no order names any more; idempotent. @throws Fault `service_unavailable` */
export async function forgetGuests(context: OrdersContext, order: OrderDocument): Promise<OrderDocument | undefined> {
  const { institution, id, formerGuests } = order;
  if (!formerGuests) return order;
  const orders = context.orders.of(institution);
  for (const contactNumber of formerGuests.contactNumbers) {
    const isNamed = (await orders.count({ contactNumber })) > 0;
    if (!isNamed) await context.contacts.forgetGuest(institution, contactNumber);
  }
  return orders.update(id, (current) => toChange(current, removeFormerGuests(current, formerGuests)));
}
