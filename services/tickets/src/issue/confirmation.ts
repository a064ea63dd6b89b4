import type { OrderedTicket } from '../domain/order.ts';
import { type Beneficiary, named } from '../domain/ticket.ts';

/** A ticket as another service asks for it; it may say more. */
export type OrderedTicketInput = Omit<OrderedTicket, 'beneficiary'> & {
  readonly beneficiary?: Partial<Beneficiary> | null;
};

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const NAMES = ['ticketId', 'lineId', 'performanceId', 'seatCategoryId', 'tariffId'] as const;

/** Whether an order says enough of a ticket that it can be issued. */
export const isOrderedTicket = (given: unknown): given is OrderedTicketInput => {
  if (!isObject(given) || !NAMES.every((name) => typeof given[name] === 'string')) return false;
  const { place, price } = given;
  if (!isObject(place) || typeof place.id !== 'string' || typeof place.label !== 'string') return false;
  return isObject(price) && Number.isInteger(price.amount) && typeof price.currency === 'string';
};

/** An instant as it is kept; null for what is none: a ticket is not refused for what is only shown. */
const instant = (value: unknown): string | null => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
};

/** What is kept of a ticket that an order asks for: members that are not known here are left out. */
export const orderedTicketOf = ({
  place,
  price,
  beneficiary,
  productId,
  startDate,
  ...given
}: OrderedTicketInput): OrderedTicket => ({
  ticketId: given.ticketId,
  lineId: given.lineId,
  performanceId: given.performanceId,
  seatCategoryId: given.seatCategoryId,
  tariffId: given.tariffId,
  place: { id: place.id, label: place.label, row: place.row ?? null, seat: place.seat ?? null },
  price: { amount: price.amount, currency: price.currency },
  productId: typeof productId === 'string' ? productId : null,
  startDate: instant(startDate),
  beneficiary: isObject(beneficiary) ? named(beneficiary) : null,
});
