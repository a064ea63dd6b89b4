// The order itself: its states, money, expiry and facts.

/** The states, which partners and visitors see and lists filter by. */
export const states = ['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'] as const;

export type State = (typeof states)[number];

/** One sellable unit of stock, as the catalog describes it. */
export interface Place {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
}

/** The person who will come; either name may be missing. */
export interface Beneficiary {
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** A text by language (BCP 47). */
export type Texts = Readonly<Record<string, string>>;

/** What a ticket shows of a place, as of its hold: it stays when the catalog changes. */
interface SaleDescription {
  /** The name of the institution. */
  readonly institution?: string;
  readonly product: Texts;
  readonly seatCategory: Texts;
  /** Absent after a change to a tariff whose name is not known. */
  readonly tariff?: Texts;
  readonly venue: { readonly name: string; readonly city: string | null };
  /** IANA name. */
  readonly timeZone: string;
  /** Of the catalog's product; absent in what earlier releases sold. */
  readonly productType?: string;
  /** ISO 8601 UTC; until when what is no show is valid; absent: not known, or a show. */
  readonly validUntil?: string;
  /** How often its ticket admits; absent: once. */
  readonly entries?: 'daily' | 'unlimited';
}

/** One place at one price, as the catalog holds it. */
export interface NewLine {
  /** `lin_` and a suffix; the ticket's id is derived from it. */
  readonly id: string;
  readonly productId: string;
  readonly performanceId: string;
  /** ISO 8601 UTC; start of the performance. */
  readonly startDate: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  /** The criterion that the tariff requires of the contact. */
  readonly criterion: string | null;
  readonly place: Place;
  /** An integer in the minor unit of the order's currency. */
  readonly amount: number;
  /** Absent or null: no beneficiary. */
  readonly beneficiary?: Beneficiary | null;
  /** Absent in lines of earlier releases. */
  readonly about?: SaleDescription;
}

export interface Line extends NewLine {
  /** How often the beneficiary was changed since the confirmation; absent: never. */
  readonly beneficiaryAsOf?: number;
  /** The valid ticket; null before the confirmation. */
  readonly ticketId: string | null;
  /** Every replacement reported so far, in any order. */
  readonly replacements: readonly { readonly ticketId: string; readonly replaces: string }[];
}

/** How the tickets reach their holders: as codes that open the door at once, or printed before they do. */
export type TicketDelivery = 'electronic' | 'print';

/**
 * Who made an order, or recorded a payment or refund: a client, with the user who was signed in at it, or a shopper of
 * a point of sale.
 */
export type Creator = { readonly clientId: string; readonly userId?: string } | { readonly pointOfSale: string };

export const paymentStates = ['pending', 'captured', 'failed'] as const;

export interface Payment {
  /** Derived from the idempotency key of the request, if it has one: a repeat finds its payment by it. */
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  readonly status: (typeof paymentStates)[number];
  /** Absent in records of earlier releases. */
  readonly createdBy?: Creator;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type Refund = Omit<Payment, 'status' | 'updatedAt'>;

/** The cancellation and its outcome: each number is null until it is known. */
export interface Cancellation {
  readonly reason: string | null;
  readonly requestedAt: number;
  /**
   * Whether there were tickets to cancel: if so, their cancellation releases the places, otherwise the order's does.
   */
  readonly hadTickets: boolean;
  /** Whether controlled tickets were cancelled too. */
  readonly override?: boolean;
  readonly ticketsCancelled: number | null;
  readonly controlled: number | null;
  readonly placesReleased: number | null;
  /** When all three numbers were known. */
  readonly settledAt: number | null;
  /** Versions of the events that the numbers come from; older events are ignored. */
  readonly ticketsVersion: number;
  readonly placesVersion: number;
}

/** The last known control state of a ticket, with the ticket's version. */
export interface TicketControl {
  readonly ticketId: string;
  readonly version: number;
  readonly controlled: boolean;
}

/** The checkout that made an order of the cart. */
interface Checkout {
  /** The shopper's request id at the point of sale. */
  readonly requestId: string;
  readonly paymentMethod: string;
  readonly at: number;
}

/** The data of a buyer without a login, until it is written to the contact that the order names. */
export interface Guest {
  readonly firstName?: string;
  /** The only name of a guest who gave one. */
  readonly lastName: string;
  readonly email: string;
  /** BCP 47. */
  readonly language?: string;
  /** When the checkout was made; epoch milliseconds. */
  readonly since: number;
}

/** The sale of an order that is paid in full. */
export interface SaleDue {
  /** Since when; epoch milliseconds. */
  readonly since: number;
  /** The payment that completed it; null if a change of lines did, or the deadline came. */
  readonly paymentId: string | null;
}

/** An order. Instants are epoch milliseconds, amounts integers in the currency's minor unit. */
export interface Order {
  readonly id: string;
  readonly state: State;
  readonly client: string | null;
  /** Absent in orders of earlier releases: they belong to no client with bounds. */
  readonly createdBy?: Creator;
  readonly pointOfSale: string | null;
  readonly contactNumber: string | null;
  readonly externalReference: string | null;
  /** For people; stored with every order. */
  readonly shortNumber?: string;
  /** Absent: print. */
  readonly ticketDelivery?: TicketDelivery;
  /** ISO 4217. */
  readonly currency: string;
  readonly lines: readonly Line[];
  /** The performances of the lines, each once. */
  readonly performanceIds: readonly string[];
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
  /** End of the hold; in a reserved order the same as `dueAt`. Null once sold. */
  readonly expiresAt: number | null;
  readonly dueAt: number | null;
  /** When the order expires, grace period included; null if it never does. From this instant on it is past due. */
  readonly deadline: number | null;
  /** The state to which a `payment_pending` order returns when its payment fails; null in other states. */
  readonly cameFrom: 'open' | 'reserved' | null;
  readonly confirmedAt: number | null;
  readonly cancellation: Cancellation | null;
  readonly ticketNotes: readonly TicketControl[];
  /** The sale that follows from what the order has paid, until it is confirmed or places are gone; absent: none. */
  readonly saleDue?: SaleDue | null;
  /**
   * Places of removed lines, until the catalog has released them; absent: none. `since`: when the first line was
   * removed. `asOf`: the version before the last removal, what the order has taken since then is not released.
   */
  readonly removedPlaces?: {
    readonly since: number;
    readonly asOf: number;
    readonly placeIds: readonly string[];
  } | null;
  /** Since when the catalog must end the hold of the places sooner, with the order's; absent or null: it need not. */
  readonly shorteningDue?: number | null;
  /** Unsold places that the order holds, summed up by the limit per client. */
  readonly heldPlaces: number;
  /** Its tickets are issued by its due work; absent before the confirmation, and where release 0.3.0 confirmed it. */
  readonly ticketsByCall?: true;
  /** Of release 0.3.0: since when tickets must be sent the beneficiaries' names. */
  readonly namesDue?: number | null;
  /** The last requests whose effect is in the order and that have no idempotency record: a shopper's. */
  readonly handledRequests?: readonly string[];
  /** When a mail was asked for, of the last day; absent: none was. */
  readonly mailRequests?: readonly number[];
  /** Absent: the order never was a cart, or still is one. */
  readonly checkout?: Checkout;
  /** Absent or null: no contact is to be written. */
  readonly guest?: Guest | null;
  /** The contact created, now or later, for the guest who bought last; absent or null: the buyer was no guest. */
  readonly guestContact?: string | null;
  /** Contacts of guests who are no longer buyers, until contacts has erased them; `since`: when the last was added. */
  readonly formerGuests?: { readonly contactNumbers: readonly string[]; readonly since: number } | null;
  /** It named a contact that it does not name any more; absent: it did not. */
  readonly hadContact?: true;
  /** A contact of the order that was erased: no guest is written under its number again. */
  readonly erasedContact?: string;
  /** When a cart that was never bought ended; absent or null in other orders. */
  readonly abandonedAt?: number | null;
  readonly createdAt: number;
  /** When a visible member last changed; null while not listed. */
  readonly modifiedAt: number | null;
  /** Since when the order is listed; null for carts. */
  readonly listedAt: number | null;
}

/** Whether the amounts are integers from `least` up and their sum is exact. */
export function isAmountList(amounts: readonly number[], least = 0): boolean {
  return (
    amounts.every((amount) => Number.isSafeInteger(amount) && amount >= least) &&
    Number.isSafeInteger(amounts.reduce((subtotal, amount) => subtotal + amount, 0))
  );
}

/** The price of all lines, in minor units. */
export function computeTotal({ lines }: Pick<Order, 'lines'>): number {
  return sum(lines.map(({ amount }) => amount));
}

/** The sum of integers. @throws RangeError if it is not exact */
const sum = (amounts: readonly number[]): number =>
  amounts.reduce((subtotal, amount) => {
    const next = subtotal + amount;
    if (!Number.isSafeInteger(next)) throw new RangeError('the sum of the amounts is not a safe integer');
    return next;
  }, 0);

/** Captured money in minor units; refunds do not lower it. */
export function computePaid({ payments }: Pick<Order, 'payments'>): number {
  return sum(payments.flatMap(({ status, amount }) => (status === 'captured' ? [amount] : [])));
}

/** Refunded money, in minor units. */
export function computeRefunded({ refunds }: Pick<Order, 'refunds'>): number {
  return sum(refunds.map(({ amount }) => amount));
}

/** What payments and refunds are counted by. */
type Paying = Pick<Order, 'lines' | 'payments' | 'refunds' | 'confirmedAt'>;

/** Money still to be paid in minor units, at least 0; pending payments do not lower it. */
export function computeDue(order: Paying): number {
  return Math.max(0, computeTotal(order) - paying(order));
}

/**
 * Captured money that pays for the order. What was refunded before its confirmation does not; later refunds give back
 * what was paid, so they leave a confirmed order paid.
 */
const paying = ({ payments, refunds, confirmedAt }: Paying): number =>
  computePaid({ payments }) -
  computeRefunded({ refunds: refunds.filter(({ createdAt }) => confirmedAt === null || createdAt < confirmedAt) });

/** Whether captured money covers the total: such an order is confirmed. A total of zero alone is not paid. */
export function isPaidInFull(order: Paying): boolean {
  return order.lines.length > 0 && paying(order) > 0 && computeDue(order) === 0;
}

/**
 * Derived like {@link computeDue}. An order free of charge is paid; one without lines is unpaid unless money was
 * captured.
 */
export function computePaymentStatus(order: Paying): 'unpaid' | 'partial' | 'paid' {
  const money = paying(order);
  if (order.lines.length === 0 && money === 0) return 'unpaid';
  if (computeDue(order) === 0) return 'paid';
  return money > 0 ? 'partial' : 'unpaid';
}

/** Derived from the refunds: full once all captured money was refunded. */
export function computeRefundStatus(order: Pick<Order, 'payments' | 'refunds'>): 'none' | 'partial' | 'full' {
  const back = computeRefunded(order);
  if (back === 0) return 'none';
  return back < computePaid(order) ? 'partial' : 'full';
}
