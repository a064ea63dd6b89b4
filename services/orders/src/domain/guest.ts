import type { Guest, Order } from './order/order.ts';

/** The order, with a contact more that is to be forgotten unless an order still names it. */
const without = <O extends Order>(order: O, contactNumber: string, now: number): O => {
  const contactNumbers = [...new Set([...(order.formerGuests?.contactNumbers ?? []), contactNumber])];
  return { ...order, formerGuests: { contactNumbers, since: now } };
};

/** The order, bought by a contact: of a guest it keeps what that is to be made of, and of an earlier one the number alone. */
export const boughtBy = <O extends Order>(
  order: O,
  contactNumber: string,
  guest: Omit<Guest, 'since'> | undefined,
  now: number,
): O => {
  const former = order.guestContact ?? contactNumber;
  const rest = former === contactNumber ? order : without(order, former, now);
  const guestContact = guest ? contactNumber : null;
  return { ...rest, contactNumber, guestContact, guest: guest ? { ...guest, since: now } : null };
};

/** The order that passed from its guest to another buyer: a contact that is not written yet never will be. */
export const withoutUnwritten = <O extends Order>(order: O, now: number): O =>
  order.guest && order.guestContact
    ? without({ ...order, guest: null, guestContact: null }, order.guestContact, now)
    : order;

/** The order after this contact was written of what its guest said at `since`. Another one may buy it by now. */
export const written = <O extends Order>(order: O, contactNumber: string, since: number, now: number): O => {
  if (order.guestContact !== contactNumber) return without(order, contactNumber, now);
  return order.guest?.since === since ? { ...order, guest: null } : order;
};

/** The order after contacts forgot those of its former guests, as they were seen; one that was added since is still to be forgotten. */
export const forgotten = <O extends Order>(order: O, seen: NonNullable<Order['formerGuests']>): O =>
  order.formerGuests?.since === seen.since && order.formerGuests.contactNumbers.length === seen.contactNumbers.length
    ? { ...order, formerGuests: null }
    : order;
