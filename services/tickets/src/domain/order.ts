import { type Beneficiary, type Creator, findNewOrigin, print, type Ticket } from './ticket.ts';

/** Tickets open the door as issued, or once they are printed. */
export const deliveries = ['electronic', 'print'] as const;
type Delivery = (typeof deliveries)[number];

/** Product, start and description are for display, as of the sale. */
type Sold = Pick<
  Ticket,
  'lineId' | 'performanceId' | 'seatCategoryId' | 'tariffId' | 'place' | 'price' | 'productId' | 'startDate' | 'about'
>;

export interface OrderedTicket extends Sold {
  readonly ticketId: string;
  readonly beneficiary?: Beneficiary | null;
  /** Changes at the order since the confirmation; absent: none. */
  readonly beneficiaryAsOf?: number;
  /** The line that it was exchanged for: the settlement of the change issues it, and nothing else. */
  readonly replaces?: string;
}

export interface Confirmed {
  readonly orderId: string;
  readonly version: number;
  /** For people; absent where orders does not name it yet. */
  readonly orderNumber?: string | undefined;
  readonly contactNumber: string | null;
  /** Service host; absent where orders does not name it yet. */
  readonly pointOfSale?: string | null | undefined;
  readonly createdBy?: Creator | undefined;
  /** Absent where orders does not name it yet: print. */
  readonly ticketDelivery?: Delivery | undefined;
  readonly tickets: readonly OrderedTicket[];
}

export interface Cancellation {
  readonly ticketsCancelled: number;
  readonly controlled: number;
  /** Places of the cancelled tickets, and of those that stay controlled. */
  readonly placeIds: readonly string[];
  readonly keptPlaceIds: readonly string[];
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** What has become of the tickets of the lines that it took out of the order. */
export interface SettledChange {
  readonly id: string;
  /** Of returned lines. */
  readonly ticketsCancelled: number;
  readonly controlled: number;
  /** Their tickets stay controlled. */
  readonly keptLineIds: readonly string[];
}

export interface OrderTickets {
  readonly id: string;
  readonly orderNumber?: string;
  readonly contactNumber: string | null;
  readonly pointOfSale?: string | null;
  readonly createdBy?: Creator;
  /** The first confirmation says it; absent: print. */
  readonly ticketDelivery?: Delivery;
  /** The version that tickets and contact come from; 0: never confirmed here. */
  readonly asOf: number;
  readonly tickets: readonly OrderedTicket[];
  readonly cancellation: Cancellation | null;
  /** Absent: of release 0.3.0, to which the call with the beneficiaries had not come. */
  readonly named?: boolean;
  readonly createdAt: string;
}

export function createOrder(
  { orderId, version, orderNumber, contactNumber, ticketDelivery, tickets, ...origin }: Confirmed,
  now: string,
): OrderTickets {
  return {
    id: orderId,
    ...(orderNumber === undefined ? {} : { orderNumber }),
    contactNumber,
    ...findNewOrigin({}, origin),
    ...(ticketDelivery === undefined ? {} : { ticketDelivery }),
    asOf: version,
    tickets,
    cancellation: null,
    named: true,
    createdAt: now,
  };
}

/** Undefined if that changes nothing. Ordered tickets are never removed. */
export function applyConfirmation<T extends OrderTickets>(order: T, fact: Confirmed): T | undefined {
  if (order.cancellation) return confirmCancelled(order, fact);
  const bringsNames = !order.named;
  const isNewer = fact.version > order.asOf;
  const origin = findNewOrigin(order, fact);
  const byId = new Map(fact.tickets.map((ordered) => [ordered.ticketId, ordered]));
  const renames = order.tickets.some((known) => isRenamed(known, byId.get(known.ticketId)));
  if (!(isNewer || bringsNames || origin || renames)) return undefined;
  const known = order.tickets.map((ordered) => {
    const fresh = byId.get(ordered.ticketId);
    if (!bringsNames && !isRenamed(ordered, fresh)) return ordered;
    const { beneficiaryAsOf } = fresh ?? {};
    return {
      ...ordered,
      beneficiary: fresh?.beneficiary ?? null,
      ...(beneficiaryAsOf === undefined ? {} : { beneficiaryAsOf }),
    };
  });
  const ids = new Set(known.map(({ ticketId }) => ticketId));
  const tickets = [...known, ...fact.tickets.filter(({ ticketId }) => !ids.has(ticketId))];
  const gained = { ...origin, named: true };
  return isNewer
    ? { ...order, contactNumber: fact.contactNumber, asOf: fact.version, tickets, ...gained }
    : { ...order, tickets, ...gained };
}

/** Its tickets follow the buyer, and there are no new ones. */
const confirmCancelled = <T extends OrderTickets>(order: T, fact: Confirmed): T | undefined => {
  // Of an order that was cancelled before it was confirmed here there are no tickets.
  if (order.tickets.length === 0) return undefined;
  const origin = findNewOrigin(order, fact);
  if (fact.version > order.asOf) return { ...order, contactNumber: fact.contactNumber, asOf: fact.version, ...origin };
  return origin && { ...order, ...origin };
};

const isRenamed = (known: OrderedTicket, fresh: OrderedTicket | undefined): boolean =>
  (fresh?.beneficiaryAsOf ?? 0) > (known.beneficiaryAsOf ?? 0);

export type IssuingOrder = Pick<
  OrderTickets,
  'id' | 'orderNumber' | 'contactNumber' | 'pointOfSale' | 'createdBy' | 'ticketDelivery' | 'asOf' | 'named'
>;

/** An electronic ticket is printed as issued. */
export function createTicket(order: IssuingOrder, ordered: OrderedTicket, barcode: string, now: string): Ticket {
  const ticket = toUnprintedTicket(order, ordered, barcode, now);
  const printed = order.ticketDelivery === 'electronic' ? print(ticket, now) : undefined;
  return printed && 'next' in printed ? printed.next : ticket;
}

const toUnprintedTicket = (
  order: IssuingOrder,
  { ticketId, beneficiary, beneficiaryAsOf, ...ordered }: OrderedTicket,
  barcode: string,
  now: string,
): Ticket => ({
  id: ticketId,
  status: 'not_printed',
  orderId: order.id,
  ...(order.orderNumber === undefined ? {} : { orderNumber: order.orderNumber }),
  productId: null,
  startDate: null,
  ...ordered,
  beneficiary: beneficiary ?? null,
  ...(order.named ? { named: true } : {}),
  ...(beneficiaryAsOf === undefined ? {} : { namedAsOf: beneficiaryAsOf }),
  barcode,
  printedAt: null,
  controlledAt: null,
  gate: null,
  replaces: null,
  replacedBy: null,
  contactNumber: order.contactNumber,
  contactAsOf: order.asOf,
  ...findNewOrigin({}, order),
  createdAt: now,
  updatedAt: now,
});

export function eraseBeneficiaries<T extends OrderTickets>(order: T): T {
  if (!order.tickets.some(({ beneficiary }) => beneficiary)) return order;
  return { ...order, tickets: order.tickets.map((ordered) => ({ ...ordered, beneficiary: null })) };
}

/** Takes of each line of the order the ticket that was not replaced. */
export function selectCurrent<T extends Ticket>(tickets: readonly T[]): T[] {
  return tickets.filter(({ status, leftBy }) => status !== 'invalidated' && leftBy === undefined);
}

/** What a cancellation of the order ends, or has ended: of former lines the tickets that stayed controlled. */
export function selectCancellable<T extends Ticket>(tickets: readonly T[]): T[] {
  return tickets.filter(({ status, leftBy, kept }) => status !== 'invalidated' && (!leftBy || kept));
}

/** `ordered`: the places of the order's lines; those without a ticket are of exchanges that were not settled. */
export function computeCancellation(tickets: readonly Ticket[], ordered: readonly string[], now: string): Cancellation {
  const listPlaces = (status: Ticket['status']) =>
    tickets.filter((ticket) => ticket.status === status).map(({ place }) => place.id);
  const [cancelled, kept] = [listPlaces('cancelled'), listPlaces('controlled')];
  const missing = ordered.filter((id) => !cancelled.includes(id) && !kept.includes(id));
  return {
    ticketsCancelled: cancelled.length + missing.length,
    controlled: kept.length,
    // An exchange may have kept the place of the line.
    placeIds: [...new Set([...cancelled, ...missing])].filter((id) => !kept.includes(id)),
    keptPlaceIds: kept,
    at: now,
  };
}

/** For an order that was cancelled before its confirmation arrived: no tickets are issued for it any more. */
export function createTombstone(orderId: string, placeIds: readonly string[], now: string) {
  return {
    id: orderId,
    contactNumber: null,
    asOf: 0,
    tickets: [],
    cancellation: { ticketsCancelled: placeIds.length, controlled: 0, placeIds, keptPlaceIds: [], at: now },
    createdAt: now,
  };
}
