import type { Guest, Order } from './order/order.ts';

/** Adds a contact to be erased unless an order still names it. */
const without = <O extends Order>(order: O, contactNumber: string, now: number): O => {
  const contactNumbers = [...new Set([...(order.formerGuests?.contactNumbers ?? []), contactNumber])];
  return { ...order, formerGuests: { contactNumbers, since: now } };
};

/**
 * The order bought by this contact. Keeps a guest's data until the contact is written, and the contact number of a
 * former guest until it is erased.
 */
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

/** The order after it passed from its guest to another buyer: a contact not written yet will not be. */
export const withoutUnwritten = <O extends Order>(order: O, now: number): O =>
  order.guest && order.guestContact
    ? without({ ...order, guest: null, guestContact: null }, order.guestContact, now)
    : order;

/** The order after the contact of the guest of `since` was written. Another buyer may have the order by now. */
export const written = <O extends Order>(order: O, contactNumber: string, since: number, now: number): O => {
  if (order.guestContact !== contactNumber) return without(order, contactNumber, now);
  return order.guest?.since === since ? { ...order, guest: null } : order;
};

/** The order after contacts erased the former guests in `seen`; one added since then stays. */
export const forgotten = <O extends Order>(order: O, seen: NonNullable<Order['formerGuests']>): O =>
  order.formerGuests?.since === seen.since && order.formerGuests.contactNumbers.length === seen.contactNumbers.length
    ? { ...order, formerGuests: null }
    : order;
