import type { OrderDocument } from '@boxoffice/orders';
import type { TicketDocument } from '@boxoffice/tickets';
import { isChanging } from './changes.ts';
import { type Case, createCase, type Finding, findBrokenRules } from './findings.ts';
import { type CheckedCollections, findReferencedDocuments } from './reading.ts';

/** Whether orders still has to tell tickets what is sold, to whom, or for whom. */
export function isIssuing(order: OrderDocument): boolean {
  return order.due?.issueTickets !== undefined || isChanging(order);
}

export function isLive({ status }: TicketDocument): boolean {
  return status !== 'invalidated' && status !== 'cancelled';
}

/** The evidence on a ticket; missing documents are undefined. */
interface TicketEvidence {
  readonly ticket: TicketDocument;
  readonly order: OrderDocument | undefined;
  /** The tickets that it replaces and that replaces it. */
  readonly before: TicketDocument | undefined;
  readonly after: TicketDocument | undefined;
}

export async function judgeTickets(collections: CheckedCollections, found: readonly TicketDocument[]): Promise<Case[]> {
  const orders = await findReferencedDocuments(collections.orders, found, 'orderId');
  const kin = await findReferencedDocuments(collections.tickets, found, 'replaces', 'replacedBy');
  return found.map((ticket) => {
    const order = orders.get(ticket.orderId);
    const [before, after] = [kin.get(ticket.replaces ?? ''), kin.get(ticket.replacedBy ?? '')];
    const read = [order, before, after].flatMap((one) => one ?? []);
    return createCase('ticket', ticket, judgeTicket({ ticket, order, before, after }), read, [ticket.orderId]);
  });
}

const judgeTicket = ({ ticket, order, before, after }: TicketEvidence): Finding[] => {
  const { id, status, orderId, lineId, institution, replaces, replacedBy } = ticket;
  const findings: Finding[] = boundsFaults(ticket, order);
  const why = (): string | undefined => {
    if (!order) return 'does not exist';
    if (order.institution !== institution) return 'is another institution’s';
    if (order.state !== 'confirmed' && order.state !== 'cancelled') return `is ${order.state}`;
    if (order.lines.some((line) => line.id === lineId)) return undefined;
    const isFormer = order.formerLines?.some((line) => line.id === lineId);
    return isFormer && status !== 'printed' && status !== 'not_printed' ? undefined : `has no line ${lineId}`;
  };
  const said = why();
  if (said !== undefined) {
    const text = `ticket ${id} (${status}) is of ${orderId}, which ${said}`;
    const underWay = order !== undefined && (order.saleDue != null || isChanging(order));
    findings.push({ invariant: 'ticket_order', offenders: [id, orderId], text, underWay });
  }
  const reportBroken = (text: string, underWay = false) =>
    findings.push({ invariant: 'ticket_lineage', offenders: [id], text: `ticket ${id} ${text}`, underWay });
  if (replaces !== null && before?.replacedBy !== id)
    reportBroken(`replaces ${replaces}, which ${before ? 'does not say so' : 'does not exist'}`);
  if ((status === 'invalidated') !== (replacedBy !== null))
    reportBroken(`is ${status} and replaced by ${replacedBy ?? 'none'}`);
  // Written right after this one, or by a sweep if the process died in between.
  else if (replacedBy !== null && !after)
    reportBroken(`is replaced by ${replacedBy}, which does not exist`, order && isChanging(order));
  return findings;
};

/** Those of its order, by which users see it. An earlier release issued tickets without the channel. */
const boundsFaults = (ticket: TicketDocument, order: OrderDocument | undefined): Finding[] => {
  if (!order || order.institution !== ticket.institution) return [];
  const { id, contactNumber, pointOfSale = order.pointOfSale } = ticket;
  const contacts = `is of the contact ${nameOf(contactNumber)}, its order of ${nameOf(order.contactNumber)}`;
  const places = `is of the point of sale ${nameOf(pointOfSale)}, its order of ${nameOf(order.pointOfSale)}`;
  const broken = findBrokenRules('ticket_bounds', id, `ticket ${id}`, [
    [contactNumber === order.contactNumber, contacts, order.id],
    [pointOfSale === order.pointOfSale, places, order.id],
  ]);
  return broken.map((finding) => ({ ...finding, underWay: isIssuing(order) }));
};

const nameOf = (value: string | null): string => value ?? 'none';
