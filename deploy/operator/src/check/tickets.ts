import type { OrderDocument } from '@boxoffice/orders';
import type { TicketDocument } from '@boxoffice/tickets';
import { broken, type Case, caseOf, type Finding } from './findings.ts';
import { type CheckedCollections, namedBy } from './reading.ts';

/** The evidence on a ticket; missing documents are undefined. */
interface TicketEvidence {
  readonly ticket: TicketDocument;
  readonly order: OrderDocument | undefined;
  /** The tickets that it replaces and that replaces it. */
  readonly before: TicketDocument | undefined;
  readonly after: TicketDocument | undefined;
}

const nameOf = (value: string | null): string => value ?? 'none';

/** The members by which users see a ticket: those of its order. An earlier release issued tickets without the channel. */
const boundsFaults = (ticket: TicketDocument, order: OrderDocument | undefined): Finding[] => {
  if (!order || order.institution !== ticket.institution) return [];
  const { id, contactNumber, pointOfSale = order.pointOfSale } = ticket;
  const contacts = `is of the contact ${nameOf(contactNumber)}, its order of ${nameOf(order.contactNumber)}`;
  const places = `is of the point of sale ${nameOf(pointOfSale)}, its order of ${nameOf(order.pointOfSale)}`;
  return broken('ticket_bounds', id, `ticket ${id}`, [
    [contactNumber === order.contactNumber, contacts, order.id],
    [pointOfSale === order.pointOfSale, places, order.id],
  ]);
};

/** Judges a ticket against its order and its lineage. */
const judgeTicket = ({ ticket, order, before, after }: TicketEvidence): Finding[] => {
  const { id, status, orderId, lineId, institution, replaces, replacedBy } = ticket;
  const findings: Finding[] = boundsFaults(ticket, order);
  const why = (): string | undefined => {
    if (!order) return 'does not exist';
    if (order.institution !== institution) return 'is another institution’s';
    if (order.state !== 'confirmed' && order.state !== 'cancelled') return `is ${order.state}`;
    return order.lines.some((line) => line.id === lineId) ? undefined : `has no line ${lineId}`;
  };
  const said = why();
  if (said !== undefined) {
    const text = `ticket ${id} (${status}) is of ${orderId}, which ${said}`;
    findings.push({ invariant: 'ticket_order', offenders: [id, orderId], text, underWay: order?.saleDue != null });
  }
  const broken = (text: string, underWay = false) =>
    findings.push({ invariant: 'ticket_lineage', offenders: [id], text: `ticket ${id} ${text}`, underWay });
  if (replaces !== null && before?.replacedBy !== id)
    broken(`replaces ${replaces}, which ${before ? 'does not say so' : 'does not exist'}`);
  if ((status === 'invalidated') !== (replacedBy !== null))
    broken(`is ${status} and replaced by ${replacedBy ?? 'none'}`);
  // Written right after this one, or by a sweep if the process died in between.
  else if (replacedBy !== null && !after) broken(`is replaced by ${replacedBy}, which does not exist`);
  return findings;
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
