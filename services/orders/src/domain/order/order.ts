import type { CodeState } from '@boxoffice/prices';
import type { Change } from './change.ts';
import type { Creator } from './creator.ts';
import type { FormerLine, Line, OrderFee } from './line.ts';

export type { Change } from './change.ts';
export type { Creator } from './creator.ts';
export type {
  Beneficiary,
  FormerLine,
  Line,
  LineComposition,
  NewLine,
  Place,
  Texts,
} from './line.ts';

export const states = ['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'] as const;

export type State = (typeof states)[number];

/** Codes that open the door at once, or printed tickets. */
export type TicketDelivery = 'electronic' | 'print';

export const paymentStates = ['pending', 'captured', 'failed'] as const;
export const refundStates = ['pending', 'done', 'failed'] as const;

export const providers = ['stripe'] as const;
export type Provider = (typeof providers)[number];

export const disputeStates = ['open', 'won', 'lost'] as const;

export const providerModes = ['test', 'live', 'simulated'] as const;
export type ProviderMode = (typeof providerModes)[number];

export interface MoneyRecord {
  /** Derived from the idempotency key, if there is one: a repeat finds its payment by it. */
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  /** Set by the service alone; absent: none, somebody has recorded it. */
  readonly provider?: Provider;
  readonly mode?: ProviderMode;
  /** Absent in records of earlier releases. */
  readonly createdBy?: Creator;
  readonly createdAt: number;
}

/** What a payment's disputes count for as refunded, and of that as goodwill. */
export interface Counted {
  readonly refunded: number;
  readonly goodwill: number;
}

/** Of a payment the newest. */
export interface Dispute extends Partial<Counted> {
  readonly state: (typeof disputeStates)[number];
  readonly amount: number;
  /** What all of them have taken for good; absent: the amount of a lost one. */
  readonly lost?: number;
  /** The provider's code. */
  readonly reason: string;
  readonly at: number;
}

export interface Payment extends MoneyRecord {
  /** It pays for this change of the order. */
  readonly changeId?: string;
  readonly status: (typeof paymentStates)[number];
  /** Where the buyer can pay; ISO 8601 UTC. */
  readonly page?: { readonly url: string; readonly expiresAt: string };
  readonly ended?: 'expired' | 'failed';
  readonly disputed?: Dispute;
  readonly updatedAt: number;
}

export interface Refund extends MoneyRecord {
  /** Absent: done. */
  readonly status?: (typeof refundStates)[number];
  readonly paymentId?: string;
  /** What it counted for as goodwill; absent in records of earlier releases. */
  readonly goodwill?: number;
  /** What it took of the money captured for the change that was pending, or had lapsed. */
  readonly ofChange?: { readonly id: string; readonly amount: number };
  readonly automatic?: true;
  /** When its status changed last; absent: never. */
  readonly updatedAt?: number;
}

/** Each number is null until it is known. */
export interface Cancellation {
  readonly reason: string | null;
  readonly requestedAt: number;
  /** If so, the cancellation of tickets releases the places, otherwise the order's does. */
  readonly hadTickets: boolean;
  readonly override?: boolean;
  readonly ticketsCancelled: number | null;
  readonly controlled: number | null;
  readonly placesReleased: number | null;
  /** When all three numbers were known. */
  readonly settledAt: number | null;
  /** Of the events that the numbers come from; older events are ignored. */
  readonly ticketsVersion: number;
  readonly placesVersion: number;
}

export interface TicketControl {
  readonly ticketId: string;
  readonly version: number;
  readonly controlled: boolean;
}

interface Checkout {
  readonly requestId: string;
  readonly paymentMethod: string;
  readonly at: number;
  readonly termsAccepted?: true;
}

/** Of a buyer without a login, until it is written to the contact. */
export interface Guest {
  readonly firstName?: string;
  /** The only name of a guest who gave one. */
  readonly lastName: string;
  readonly email: string;
  readonly language?: string;
  /** Epoch milliseconds of the checkout. */
  readonly since: number;
}

export interface SaleDue {
  readonly since: number;
  /** Completed it; null if a change of lines did, or the deadline came. */
  readonly paymentId: string | null;
}

/** Instants are epoch milliseconds, amounts integers in the currency's minor unit. */
export interface Order {
  readonly id: string;
  readonly state: State;
  readonly client: string | null;
  /** Absent in orders of earlier releases: they belong to no client with bounds. */
  readonly createdBy?: Creator;
  readonly pointOfSale: string | null;
  readonly contactNumber: string | null;
  /** Of a cart: the contact whose discounts it has, null: nobody's; absent: its buyer's. */
  readonly pricedFor?: string | null | undefined;
  readonly externalReference: string | null;
  /** For people; stored with every order. */
  readonly shortNumber?: string;
  /** Absent: print. */
  readonly ticketDelivery?: TicketDelivery;
  /** ISO 4217. */
  readonly currency: string;
  readonly lines: readonly Line[];
  /** Oldest first; absent: none. */
  readonly formerLines?: readonly FormerLine[];
  /** Since its confirmation, oldest first; absent: none. */
  readonly changes?: readonly Change[];
  /** Decided with its first lines; absent: not yet, or none. */
  readonly fees?: readonly OrderFee[] | undefined;
  /** Each once, as first given; absent: none. */
  readonly codes?: readonly CodeState[] | undefined;
  readonly performanceIds: readonly string[];
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
  /** What refunds gave back that is not due again; absent in orders of earlier releases: by their refunds. */
  readonly goodwill?: number;
  /** What changes have taken of it by lowering the total; absent: nothing. */
  readonly goodwillLost?: number;
  /** It has credit, as of its last write, by which lists find it; absent: not known, an earlier release wrote it. */
  readonly hasCredit?: boolean;
  /** Credit that the service refunds by itself; absent or null: none. */
  readonly creditDue?: { readonly since: number; readonly amount: number } | null;
  /** What would be of it, of payments whose disputes are open; absent or null: none. */
  readonly creditInDispute?: number | null;
  /** Of the hold; in a reserved order the same as `dueAt`. Null once sold. */
  readonly expiresAt: number | null;
  readonly dueAt: number | null;
  /** Grace period included; null if the order never expires. From this instant on it is past due. */
  readonly deadline: number | null;
  /** A `payment_pending` order returns to it when its payment fails. */
  readonly cameFrom: 'open' | 'reserved' | null;
  readonly confirmedAt: number | null;
  readonly cancellation: Cancellation | null;
  readonly ticketNotes: readonly TicketControl[];
  /** Until the sale is confirmed or places are gone; absent: none. */
  readonly saleDue?: SaleDue | null;
  /** Until the catalog has released them. What the order has taken since `asOf` is not released. */
  readonly removedPlaces?: {
    readonly since: number;
    readonly asOf: number;
    readonly placeIds: readonly string[];
  } | null;
  /** Since when the catalog must end the hold sooner; absent or null: it need not. */
  readonly shorteningDue?: number | null;
  /** Unsold; summed up by the limit per client. */
  readonly heldPlaces: number;
  /** Its tickets are issued by its due work; absent before the confirmation, and where release 0.3.0 confirmed it. */
  readonly ticketsByCall?: true;
  /** Of release 0.3.0: since when tickets must be sent the beneficiaries' names. */
  readonly namesDue?: number | null;
  /** Of shoppers, whose requests have no idempotency record: the last ones whose effect is in the order. */
  readonly handledRequests?: readonly string[];
  readonly mailRequests?: readonly number[];
  /** Absent: the order never was a cart, or still is one. */
  readonly checkout?: Checkout;
  /** Absent or null: no contact is to be written. */
  readonly guest?: Guest | null;
  /** Of the guest who bought last; absent or null: the buyer was no guest. */
  readonly guestContact?: string | null;
  /** Until contacts has erased them; `since`: when the last was added. */
  readonly formerGuests?: { readonly contactNumbers: readonly string[]; readonly since: number } | null;
  /** It named a contact that it does not name any more. */
  readonly hadContact?: true;
  /** No guest is written under its number again. */
  readonly erasedContact?: string;
  /** Of a cart that was never bought; absent or null in other orders. */
  readonly abandonedAt?: number | null;
  readonly createdAt: number;
  /** The last visible change; null while not listed. */
  readonly modifiedAt: number | null;
  /** Since when the order is listed; null for carts, and while it is unseen. */
  readonly listedAt: number | null;
  /** One call sells it (commerce, section 1), and its places are not sold yet; absent or null: anybody may see it. */
  readonly unseen?: true | null;
  /** Of the request with a key that has sold it in one call, by which a repeat is known; absent: there is none. */
  readonly fingerprint?: string;
}
