import type { Ticket } from '../domain/ticket.ts';

/** The ETag of a ticket: writes that change nothing visible do not raise it. */
export const validatorOf = ({ version, unseen = 0 }: Ticket & { readonly version: number }): string =>
  String(version - unseen);

/** A ticket as answers show it, without internal members. */
export const view = (ticket: Ticket) => ({
  id: ticket.id,
  status: ticket.status,
  orderId: ticket.orderId,
  lineId: ticket.lineId,
  performanceId: ticket.performanceId,
  seatCategoryId: ticket.seatCategoryId,
  place: {
    id: ticket.place.id,
    label: ticket.place.label,
    row: ticket.place.row ?? null,
    seat: ticket.place.seat ?? null,
  },
  tariffId: ticket.tariffId,
  price: ticket.price.amount,
  currency: ticket.price.currency,
  beneficiary: ticket.beneficiary,
  barcode: ticket.barcode,
  printedAt: ticket.printedAt,
  controlledAt: ticket.controlledAt,
  gate: ticket.gate,
  replaces: ticket.replaces,
  replacedBy: ticket.replacedBy,
  createdAt: ticket.createdAt,
  updatedAt: ticket.updatedAt,
});

/** A ticket as the pos service needs it: with buyer, product and what was sold; see `presentTicket`. */
export const shopView = (ticket: Ticket) => ({
  ...view(ticket),
  contactNumber: ticket.contactNumber,
  productId: ticket.productId ?? null,
  startDate: ticket.startDate ?? null,
  ...(ticket.about === undefined ? {} : { about: ticket.about }),
});
