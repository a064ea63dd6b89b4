import { type CodeState, isSameCode } from '@boxoffice/prices';
import { hasTickets } from './confirmation.ts';
import { accept, type Decision, type Refused, refuse } from './decisions.ts';
import { createContactNamedFacts, createOrderConfirmedFact } from './order/facts.ts';
import { type Guest, type Line, type Order, type State, states, type TicketDelivery } from './order/order.ts';
import { checkDecidable, markModified, sellIfPaid } from './order/state.ts';

/** Keeps a guest's data until the contact is written, and the contact number of a former guest until it is erased. */
export function setBuyer<O extends Order>(
  order: O,
  contactNumber: string,
  guest: Omit<Guest, 'since'> | undefined,
  now: number,
): O {
  const former = order.guestContact ?? contactNumber;
  const rest = former === contactNumber ? order : addFormerGuest(order, former, now);
  const guestContact = guest ? contactNumber : null;
  return { ...rest, contactNumber, guestContact, guest: guest ? { ...guest, since: now } : null };
}

/** Adds a contact to be erased unless an order still names it. */
const addFormerGuest = <O extends Order>(order: O, contactNumber: string, now: number): O => {
  const contactNumbers = [...new Set([...(order.formerGuests?.contactNumbers ?? []), contactNumber])];
  return { ...order, formerGuests: { contactNumbers, since: now } };
};

/** Another buyer may have the order by now. */
export function markGuestWritten<O extends Order>(order: O, contactNumber: string, since: number, now: number): O {
  if (order.guestContact !== contactNumber) return addFormerGuest(order, contactNumber, now);
  return order.guest?.since === since ? { ...order, guest: null } : order;
}

/** One added after `seen` stays. */
export function removeFormerGuests<O extends Order>(order: O, seen: NonNullable<Order['formerGuests']>): O {
  return order.formerGuests?.since === seen.since &&
    order.formerGuests.contactNumbers.length === seen.contactNumbers.length
    ? { ...order, formerGuests: null }
    : order;
}

/** The same ones, in the same order. */
export function hasCodes({ codes: had = [] }: Pick<Order, 'codes'>, codes: readonly CodeState[]): boolean {
  return codes.length === had.length && codes.every(({ code }, index) => isSameCode(code, had[index]?.code ?? ''));
}

/** In which prices follow lines, codes and contact. */
export const changeable: readonly State[] = ['open', 'reserved'];

const undelivered: readonly State[] = ['open', 'reserved', 'payment_pending', 'expired'];

/** By the criteria that the buyer's contact does not meet. */
export function checkTariffAccess(
  lines: readonly Pick<Line, 'criterion'>[],
  criteria: readonly string[],
): Refused | undefined {
  const unmet = lines.flatMap(({ criterion }) =>
    criterion === null || criteria.includes(criterion) ? [] : [criterion],
  );
  if (unmet.length === 0) return undefined;
  const remedy = 'name one as $.contactNumber, or use a token with the scope orders.sensitive:write';
  const needed = [...new Set(unmet)].join(' and ');
  return refuse('tariff_not_accessible', `A tariff needs a contact with ${needed}: ${remedy}.`);
}

/**
 * The delivery until the confirmation, codes while open or reserved, contact and external reference in every visible
 * state; absent stays, null removes. `price` is what codes and contact make of the prices. A change publishes `order.confirmed` again, since tickets carry the buyer. A guest whose contact is not
 * written yet is deleted. `criteria` of another contact; absent: tariffs go to anybody. Refused:
 * `tariff_not_accessible`.
 */
export function changeDetails<O extends Order>(
  order: O,
  patch: {
    readonly contactNumber?: string | null;
    readonly externalReference?: string | null;
    readonly ticketDelivery?: TicketDelivery;
    readonly codes?: readonly CodeState[];
  },
  now: number,
  {
    criteria,
    price = (same) => same,
  }: { readonly criteria?: readonly string[]; readonly price?: (order: O) => O } = {},
): Decision<O> {
  // Allowed past the deadline, but the expiry is written first.
  const refused = checkDecidable(order, states, 'changed', now);
  if (refused) return refused;
  const { contactNumber = order.contactNumber, externalReference = order.externalReference, ticketDelivery } = patch;
  const isOtherDelivery = ticketDelivery !== undefined && ticketDelivery !== (order.ticketDelivery ?? 'print');
  const isTooLate = isOtherDelivery && checkDecidable(order, undelivered, 'delivered in another way', now);
  if (isTooLate) return isTooLate;
  const isOtherBuyer = contactNumber !== order.contactNumber;
  const { codes } = patch;
  const hasOtherCodes = codes !== undefined && !hasCodes(order, codes);
  const unchangeable = hasOtherCodes && checkDecidable(order, changeable, 'given other codes', now);
  if (unchangeable) return unchangeable;
  if (!hasOtherCodes && !isOtherDelivery && !isOtherBuyer && externalReference === order.externalReference)
    return accept(order);
  const mayNeed = isOtherBuyer && criteria && order.state !== 'cancelled';
  const unmet = mayNeed ? checkTariffAccess(order.lines, criteria) : undefined;
  if (unmet) return unmet;
  const own = isOtherBuyer ? dropUnwrittenGuest(order, now) : order;
  const delivery = isOtherDelivery ? { ticketDelivery } : {};
  const former = isOtherBuyer && order.contactNumber !== null ? { hadContact: true as const } : {};
  const priced = isOtherBuyer && order.pricedFor !== undefined ? { pricedFor: undefined } : {};
  const given = hasOtherCodes ? { codes, ...priced } : priced;
  const changed: O = markModified({ ...own, contactNumber, externalReference, ...delivery, ...former, ...given }, now);
  const isPriced = (hasOtherCodes || isOtherBuyer) && changeable.includes(order.state);
  const { next, facts } = isPriced ? sellIfPaid(price(changed), now) : accept(changed);
  if (!isOtherBuyer) return accept(next, ...facts);
  const named = [...createContactNamedFacts(next), ...(hasTickets(order) ? [createOrderConfirmedFact(next)] : [])];
  return accept(next, ...facts, ...named);
}

/** A contact not written yet will not be. */
const dropUnwrittenGuest = <O extends Order>(order: O, now: number): O =>
  order.guest && order.guestContact
    ? addFormerGuest({ ...order, guest: null, guestContact: null }, order.guestContact, now)
    : order;
