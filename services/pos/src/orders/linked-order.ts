import type { IdempotencyRecord } from '@boxoffice/store';
import type { Product } from '../clients/catalog.ts';
import type { Order } from '../clients/orders.ts';
import type { Ticket } from '../clients/tickets.ts';
import { linkEndOf } from '../domain/offer.ts';
import { productsNow } from '../products/offers.ts';
import type { PosContext } from '../request/context.ts';
import { notFound } from '../request/visit.ts';
import type { OrderLinkDocument } from '../store.ts';
import type { LinkPlace, NewOrderLink } from './links.ts';

/** The tickets of an order, in the order of its lines; none before its confirmation and after its cancellation. */
export const ticketsOfOrder = async (
  { tickets }: Pick<PosContext, 'tickets'>,
  institution: string,
  { id, state, lines }: Order,
): Promise<readonly Ticket[]> => {
  if (state !== 'confirmed') return [];
  const found = await tickets.list(institution, { orderIds: [id] });
  const indexOf = new Map(lines.map(({ ticketId }, index) => [ticketId, index]));
  const at = ({ id }: Ticket): number => indexOf.get(id) ?? lines.length;
  return found.toSorted((one, other) => at(one) - at(other));
};

/** When a link to the order ends, by the dates of its performances now. Epoch milliseconds. */
const endOfLink = (
  { lines, createdAt }: Order,
  tickets: readonly Ticket[],
  products: readonly Product[],
  known?: number,
): number => {
  const current = new Map(
    products.flatMap((product) =>
      product.performances.map((performance) => [performance.id, { performance, product }]),
    ),
  );
  // Tickets know of moves of performances whose product is published no more.
  const startOf = new Map(tickets.map(({ performanceId, startDate }) => [performanceId, startDate]));
  const sold = lines.map(({ performanceId, startDate }) => ({
    current: current.get(performanceId),
    startDate: startOf.get(performanceId) ?? startDate,
  }));
  return linkEndOf(sold, Date.parse(createdAt), known);
};

/**
 * Makes a link to an order at its point of sale, also while catalog and tickets do not answer. With a record, a repeat of
 * the request gets the stored answer. @throws {IdempotencyKeyTaken} if the record is taken
 */
export const createOrderLink = async (
  context: Pick<PosContext, 'orderLinks' | 'offers' | 'tickets' | 'bestEffortTickets'>,
  place: LinkPlace,
  order: Order,
  record?: IdempotencyRecord<OrderLinkDocument>,
): Promise<NewOrderLink> => {
  const { institution } = place;
  const tickets = (await context.bestEffortTickets(() => ticketsOfOrder(context, institution, order))) ?? [];
  const expiresAt = endOfLink(order, tickets, await productsNow(context, institution));
  return context.orderLinks.add(place, { orderId: order.id, expiresAt }, record);
};

/** An order as the holder of a link reads it. */
interface LinkedOrder {
  readonly order: Order;
  readonly tickets: readonly Ticket[];
}

/** Whether the buyer's contact was erased; false while contacts does not answer, since an erasure deletes the links. */
export const isErased = async (
  { contacts, bestEffortContacts }: Pick<PosContext, 'contacts' | 'bestEffortContacts'>,
  institution: string,
  { contactNumber }: Order,
): Promise<boolean> => {
  if (contactNumber === null) return false;
  const contact = await bestEffortContacts(() => contacts.known(institution, contactNumber));
  return contact !== undefined && contact.erasedAt !== null;
};

/**
 * The order of a token at this point of sale. @throws {PosFault} not_found for a token that is absent, malformed,
 * unknown, of another point of sale or past its end, and after an erasure: the same for all of them
 */
export const findLinkedOrder = async (
  context: PosContext,
  place: LinkPlace,
  token: string | undefined,
): Promise<LinkedOrder> => {
  const { institution } = place;
  const link = await context.orderLinks.find(place, token ?? '');
  const order = link && (await context.orders.get(institution, link.orderId));
  if (!link || !order?.listed || (await isErased(context, institution, order))) throw notFound();
  const [tickets, products] = await Promise.all([
    ticketsOfOrder(context, institution, order),
    productsNow(context, institution),
  ]);
  if (endOfLink(order, tickets, products, link.expiresAt) <= context.now()) throw notFound();
  return { order, tickets };
};

/**
 * Dates the end of a link anew, before it is deleted as expired: its performances may have moved. Rejects while another
 * service does not answer.
 */
export const renewOrderLink = async (context: PosContext, link: OrderLinkDocument): Promise<void> => {
  const { institution, orderId, expiresAt } = link;
  const order = await context.orders.get(institution, orderId);
  if (!order?.listed) return;
  const tickets = await ticketsOfOrder(context, institution, order);
  const { products } = await context.offers.publishedNow(institution);
  await context.orderLinks.renew(link, endOfLink(order, tickets, products, expiresAt));
};
