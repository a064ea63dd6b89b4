import type { PointOfSale } from '../clients/catalog.ts';
import type { Order } from '../clients/orders.ts';
import type { Ticket } from '../clients/tickets.ts';

/** The head of its receipt, as of the sale; of what was sold without one, the present one. */
export function findSeller({ lines }: Pick<Order, 'lines'>, { receipt }: Pick<PointOfSale, 'receipt'>) {
  return lines.find(({ about }) => about?.seller)?.about?.seller ?? receipt;
}

/** Start and venue of a line are those of its ticket, which follow a move. */
export function toOrderReceipt(order: Order, tickets: readonly Ticket[], pointOfSale: Pick<PointOfSale, 'receipt'>) {
  const { currency, fees, taxes, total, due } = order;
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  return {
    at: order.confirmedAt ?? order.createdAt,
    seller: findSeller(order, pointOfSale),
    lines: order.lines.map(({ ticketId, place, base, components, amount, taxes, ...line }) => {
      const ticket = byId.get(ticketId ?? '');
      return {
        about: ticket?.about ?? line.about,
        startDate: ticket?.startDate ?? line.startDate,
        place,
        price: { amount, currency, base, components, taxes },
      };
    }),
    fees: fees.map(({ name, amount }) => ({ name, amount })),
    ...{ taxes, total, due },
  };
}
