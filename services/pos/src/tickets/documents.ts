import { PosFault } from '@boxoffice/envelope';
import { selectText } from '@boxoffice/http';
import { ServiceRefusal } from '@boxoffice/service';
import { runForEach } from '@boxoffice/store';
import type { PointOfSale } from '../clients/catalog.ts';
import type { Order } from '../clients/orders.ts';
import type { ShownDocument, Ticket } from '../clients/tickets.ts';
import { toOrderReceipt } from '../orders/receipt.ts';
import type { PosContext } from '../request/context.ts';

type DocumentsContext = Pick<PosContext, 'tickets' | 'contacts' | 'orders' | 'log'>;

type Sold = Pick<Order, 'id' | 'contactNumber'> & { readonly number?: string };

/** The best language comes first. */
interface Reading {
  readonly pointOfSale: Pick<PointOfSale, 'institution' | 'name' | 'branding' | 'receipt'>;
  readonly languages: readonly string[];
}

interface SoldTickets {
  readonly order: Order;
  readonly tickets: readonly Ticket[];
}

const WIDTH = 4;

/**
 * A page for each printed ticket, then the receipt. @throws {PosFault} `ticket_not_printed` if none is, or one ceases to be
 * meanwhile
 */
export async function drawOrderDocument(
  context: DocumentsContext,
  { order, tickets, ...reading }: Reading & SoldTickets,
): Promise<ShownDocument> {
  const ids = tickets.filter(isShown).map(({ id }) => id);
  if (ids.length === 0) throw new PosFault('ticket_not_printed', 'No ticket of the order is printed.');
  const draw = await prepareDrawing(context, order, reading);
  const receipt = toOrderReceipt(order, tickets, reading.pointOfSale);
  return draw(ids, receipt).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    throw new PosFault('ticket_not_printed', 'A ticket of the order was cancelled or replaced just now.');
  });
}

const isShown = ({ status }: Pick<Ticket, 'status'>): boolean => status === 'printed' || status === 'controlled';

const prepareDrawing = async (context: DocumentsContext, order: Sold, { pointOfSale, languages }: Reading) => {
  const { institution, name, branding } = pointOfSale;
  const buyer = await findBuyer(context, institution, order);
  const seller = { name: selectText(name, languages), branding };
  const shown = { languages, pointOfSale: seller, order: { number: order.number ?? order.id, buyer } };
  return (ticketIds: readonly string[], receipt?: ReturnType<typeof toOrderReceipt>): Promise<ShownDocument> =>
    context.tickets.draw(institution, { ticketIds, ...shown, ...(receipt && { receipt }) });
};

/** Null for an erased contact, and while contacts does not answer: a ticket is worth more than its name. */
const findBuyer = async ({ contacts, log }: DocumentsContext, institution: string, { contactNumber }: Sold) => {
  if (contactNumber === null) return null;
  try {
    const contact = await contacts.own(institution, contactNumber);
    return [contact?.firstName, contact?.lastName].filter(Boolean).join(' ') || (contact?.name ?? null);
  } catch (error) {
    log.warn('a document lacks the name of its buyer: contacts does not answer', { error });
    return null;
  }
};

const isRefusal = (error: unknown): error is ServiceRefusal => error instanceof ServiceRefusal && error.http === 412;

/** @throws {PosFault} `ticket_not_printed`; `ticket_not_changeable` if it was cancelled or replaced */
export async function drawTicketDocument(
  context: DocumentsContext,
  { ticket, ...reading }: Reading & { readonly ticket: Ticket },
): Promise<ShownDocument> {
  const { orderId: id, contactNumber } = ticket;
  const order = await context.orders.get(reading.pointOfSale.institution, id);
  const draw = await prepareDrawing(context, order ?? { id, contactNumber }, reading);
  return draw([ticket.id]).catch(refuse);
}

const refuse = (error: unknown): never => {
  if (!isRefusal(error)) throw error;
  if (error.status === 'ticket_not_printed') throw new PosFault('ticket_not_printed', 'The ticket is not printed.');
  throw new PosFault('ticket_not_changeable', 'The ticket was cancelled or replaced.');
};

/** By ticket id, without tickets that have no document. */
export async function drawTicketDocuments(
  context: DocumentsContext,
  { order, tickets, ...reading }: Reading & SoldTickets,
): Promise<Record<string, ShownDocument>> {
  const draw = await prepareDrawing(context, order, reading);
  const documents = new Map<string, ShownDocument>();
  await runForEach(tickets.filter(isShown).values(), WIDTH, async ({ id }) => {
    const document = await draw([id]).catch((error: unknown) => {
      // It was cancelled or replaced meanwhile.
      if (isRefusal(error)) return undefined;
      throw error;
    });
    if (document) documents.set(id, document);
  });
  // In the order of the tickets.
  return Object.fromEntries(
    tickets.flatMap(({ id }) => {
      const document = documents.get(id);
      return document ? [[id, document]] : [];
    }),
  );
}
