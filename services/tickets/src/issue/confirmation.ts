import type { Wanted } from '../domain/order.ts';
import { type Beneficiary, named } from '../domain/ticket.ts';

/** A ticket as another service asks for it; it may say more. */
export type Asked = Omit<Wanted, 'beneficiary'> & { readonly beneficiary?: Partial<Beneficiary> | null };

type Said = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Said => typeof value === 'object' && value !== null;

const NAMES = ['ticketId', 'lineId', 'performanceId', 'seatCategoryId', 'tariffId'] as const;

/** Whether an order says enough of a ticket that it can be issued. */
export const isWanted = (said: unknown): said is Asked => {
  if (!isObject(said) || !NAMES.every((name) => typeof said[name] === 'string')) return false;
  const { place, price } = said;
  if (!isObject(place) || typeof place.id !== 'string' || typeof place.label !== 'string') return false;
  return isObject(price) && Number.isInteger(price.amount) && typeof price.currency === 'string';
};

/** An instant as it is kept; null for what is none: a ticket is not refused for what is only shown. */
const instant = (value: unknown): string | null => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
};

/** What is kept of a ticket that an order asks for: members that are not known here are left out. */
export const wantedOf = ({ place, price, beneficiary, productId, startDate, ...said }: Asked): Wanted => ({
  ticketId: said.ticketId,
  lineId: said.lineId,
  performanceId: said.performanceId,
  seatCategoryId: said.seatCategoryId,
  tariffId: said.tariffId,
  place: { id: place.id, label: place.label, row: place.row ?? null, seat: place.seat ?? null },
  price: { amount: price.amount, currency: price.currency },
  productId: typeof productId === 'string' ? productId : null,
  startDate: instant(startDate),
  beneficiary: isObject(beneficiary) ? named(beneficiary) : null,
});
