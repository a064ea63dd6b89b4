import type { ContactDocument } from '@boxoffice/contacts';
import type { OrderDocument } from '@boxoffice/orders';
import type { TicketDocument } from '@boxoffice/tickets';
import { type Case, caseOf, type Finding } from './findings.ts';
import { byId, byOwner, type CheckedCollections, namedBy } from './reading.ts';
import { judgeOrder } from './rules-orders.ts';
import { judgeTicket } from './rules-tickets.ts';

const contactFaults = (order: OrderDocument, contacts: ReadonlyMap<string, ContactDocument>): Finding[] => {
  const { id, contactNumber, institution, guest } = order;
  // A guest's contact is created after the checkout; until then the order stores the contact's data.
  if (guest || contactNumber === null || contacts.get(contactNumber)?.institution === institution) return [];
  const text = `${id} is of the contact ${contactNumber}, which does not exist`;
  return [{ invariant: 'contact', offenders: [id, contactNumber], text }];
};

/** Judges orders against the places, tickets and contacts that they name. */
export const judgeOrders = async (
  collections: CheckedCollections,
  found: readonly OrderDocument[],
): Promise<Case[]> => {
  const withTickets = found.filter(({ state }) => state === 'confirmed' || state === 'cancelled');
  const tickets = await byOwner(collections.tickets, 'orderId', withTickets);
  const placesOf = (order: OrderDocument): string[] =>
    order.state === 'cancelled'
      ? (tickets.get(order.id) ?? []).flatMap(({ status, place }) => (status === 'controlled' ? [place.id] : []))
      : order.state === 'expired'
        ? []
        : order.lines.map(({ place }) => place.id);
  const places = await byId(collections.places, found.flatMap(placesOf));
  const own = new Map(found.map((order) => [order.id, order]));
  const strangers = found.flatMap((order) => {
    const holders = placesOf(order).map((id) => places.get(id)?.holder);
    return holders.filter((holder) => holder !== order.id && !own.has(holder ?? ''));
  });
  const rivals = new Map([...own, ...(await byId(collections.orders, strangers))]);
  const contacts = await namedBy(collections.contacts, found, 'contactNumber');
  const now = Date.now();
  return found.map((order) => {
    const evidence = { order, places, rivals, tickets: tickets.get(order.id) ?? [] };
    const findings = [...judgeOrder(evidence, now), ...contactFaults(order, contacts)];
    const had = placesOf(order).flatMap((id) => places.get(id) ?? []);
    const others = had.flatMap(({ holder }) => (holder === order.id ? [] : (rivals.get(holder ?? '') ?? [])));
    const concerns = [...others.map(({ id }) => id), ...order.performanceIds, order.contactNumber ?? ''];
    return caseOf('order', order, findings, [...had, ...others, ...evidence.tickets], concerns);
  });
};

/** Judges tickets against their orders and those that they replace or are replaced by. */
export const judgeTickets = async (
  collections: CheckedCollections,
  found: readonly TicketDocument[],
): Promise<Case[]> => {
  const orders = await namedBy(collections.orders, found, 'orderId');
  const kin = await namedBy(collections.tickets, found, 'replaces', 'replacedBy');
  return found.map((ticket) => {
    const order = orders.get(ticket.orderId);
    const [before, after] = [kin.get(ticket.replaces ?? ''), kin.get(ticket.replacedBy ?? '')];
    const read = [order, before, after].flatMap((one) => one ?? []);
    return caseOf('ticket', ticket, judgeTicket({ ticket, order, before, after }), read, [ticket.orderId]);
  });
};
