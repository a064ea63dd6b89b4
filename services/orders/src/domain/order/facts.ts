import type { Cancellation, Creator, Line, Order, Refund } from './order.ts';

export type OrderConfirmed = ReturnType<typeof createOrderConfirmedFact>;
export type OrderCancelled = ReturnType<typeof createOrderCancelledFact>;
export type OrderExpired = ReturnType<typeof createOrderExpiredFact>;
export type ContactNamed = ReturnType<typeof createContactNamedFacts>[number];
export type MailRequested = ReturnType<typeof createMailRequestedFact>;
export type RefundRequested = ReturnType<typeof createRefundRequestedFact>;
export type DomainFact =
  | OrderConfirmed
  | OrderCancelled
  | OrderExpired
  | ContactNamed
  | MailRequested
  | RefundRequested;

/** Derived from the line's id, so no call is needed. */
export function deriveTicketId(lineId: string): string {
  return `tic_${lineId.slice(lineId.indexOf('_') + 1)}`;
}

/**
 * The order's places are sold. Published again, with a newer version, when the buyer changes; also by an order that was
 * cancelled since. Lists the tickets as first created, even if some were replaced since. Like every event it carries
 * ids and no personal data, since queues and dead letters keep it beyond an erasure; {@link buildNamedTickets} carries
 * the names.
 */
export function createOrderConfirmedFact(order: Order, lines: readonly Line[] = order.lines) {
  return {
    type: 'order.confirmed' as const,
    data: {
      orderId: order.id,
      ...(order.shortNumber === undefined ? {} : { number: order.shortNumber }),
      contactNumber: order.contactNumber,
      pointOfSale: order.pointOfSale,
      ...(order.createdBy && { createdBy: order.createdBy }),
      ...(order.ticketDelivery === undefined ? {} : { ticketDelivery: order.ticketDelivery }),
      // Tickets of release 0.3.0 leaves the issue to the call then.
      callFollows: true as const,
      tickets: lines.map(
        ({ id, performanceId, seatCategoryId, tariffId, place, amount, productId, startDate, about }) => ({
          ticketId: deriveTicketId(id),
          lineId: id,
          performanceId,
          seatCategoryId,
          tariffId,
          place,
          price: { amount, currency: order.currency },
          productId,
          startDate,
          ...(about === undefined ? {} : { about }),
        }),
      ),
    },
  };
}

/** Beside names, what makes the price of a ticket, and which line it is exchanged for: its change issues that one. */
export function buildNamedTickets(order: Order, named: readonly Line[] = order.lines) {
  const { callFollows: _, ...data } = createOrderConfirmedFact(order, named).data;
  const lines = new Map(named.map((line) => [line.id, line]));
  const tickets = data.tickets.map((ticket) => {
    const { beneficiary = null, beneficiaryAsOf, price: made, replaces } = lines.get(ticket.lineId) ?? {};
    const composition = made && { base: made.base, components: made.components, taxes: made.taxes };
    const price = { ...ticket.price, ...composition };
    const exchanged = replaces === undefined ? {} : { replaces };
    return {
      ...ticket,
      price,
      beneficiary,
      ...(beneficiaryAsOf === undefined ? {} : { beneficiaryAsOf }),
      ...exchanged,
    };
  });
  return { ...data, tickets };
}

/** Also of lines that left, or that a change wants. */
export function hasNames({ lines, formerLines = [], changes = [] }: Named): boolean {
  return [...lines, ...formerLines, ...changes.flatMap(({ newLines }) => newLines)].some(
    ({ beneficiary }) => beneficiary,
  );
}

type Named = Pick<Order, 'lines' | 'formerLines' | 'changes'>;

/** Without tickets also places of removed lines that are not released yet. Uses of discounts need not be named. */
export function createOrderCancelledFact(
  { id: orderId, lines, removedPlaces }: Order,
  { hadTickets, override = false }: Pick<Cancellation, 'hadTickets' | 'override'>,
) {
  return {
    type: 'order.cancelled' as const,
    data: {
      orderId,
      hadTickets,
      override,
      placeIds: [...lines.map(({ place }) => place.id), ...(hadTickets ? [] : (removedPlaces?.placeIds ?? []))],
    },
  };
}

/** The contact that the order names, or names no more; none before it has named one. */
export function createContactNamedFacts({ id: orderId, createdBy, pointOfSale, contactNumber, hadContact }: Order) {
  const [clientId = null] = listClients(createdBy);
  if ((contactNumber === null && hadContact !== true) || (clientId === null && pointOfSale === null)) return [];
  return [{ type: 'order.contact_named' as const, data: { orderId, contactNumber, clientId, pointOfSale } }];
}

/** The places of the lines, and the uses of their discounts, are free again. */
export function createOrderExpiredFact({ id: orderId, lines }: Order) {
  return { type: 'order.expired' as const, data: { orderId, placeIds: lines.map(({ place }) => place.id) } };
}

export function listClients(createdBy: Creator | undefined): string[] {
  return createdBy && 'clientId' in createdBy ? [createdBy.clientId] : [];
}

type RequestedMail = { readonly kind: 'confirmation' } | { readonly kind: 'lines_returned'; readonly changeId: string };

/** `requestedAt` in epoch milliseconds. */
export function createMailRequestedFact(
  { id: orderId, pointOfSale, contactNumber }: Pick<Order, 'id' | 'pointOfSale' | 'contactNumber'>,
  requestedAt: number,
  mail: RequestedMail = { kind: 'confirmation' },
) {
  return {
    type: 'order.mail_requested' as const,
    data: {
      orderId,
      pointOfSale,
      contactNumber,
      ...mail,
      requestedAt: new Date(requestedAt).toISOString(),
    },
  };
}

/** To shoppers alone, like every mail that nobody asks for. */
export function createLinesReturnedFacts(order: Order, changeId: string, now: number) {
  const { createdBy, pointOfSale, contactNumber } = order;
  if (pointOfSale === null || contactNumber === null || listClients(createdBy).length > 0) return [];
  return [createMailRequestedFact(order, now, { kind: 'lines_returned', changeId })];
}

export function createRefundRequestedFact(
  { id: orderId }: Pick<Order, 'id'>,
  { id: refundId, paymentId, provider, amount, currency, automatic }: Refund,
) {
  return {
    type: 'order.refund_requested' as const,
    data: {
      orderId,
      refundId,
      paymentId: String(paymentId),
      provider: String(provider),
      amount,
      currency,
      automatic: automatic === true,
    },
  };
}
