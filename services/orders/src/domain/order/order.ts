import type { PendingStep } from './pending-step.ts';

/** `draft` is internal: its places are being held, and nobody but recovery sees it. */
export type State = 'draft' | 'open' | 'reserved' | 'payment_pending' | 'confirmed' | 'expired' | 'cancelled';

/** The states that anyone can see, as lists filter by them. */
export const visibleStates = ['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'] as const;

/** One sellable unit of stock, as the catalog names it. */
export interface Place {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
}

/** One place at one price, as the hold gives it. */
export interface NewLine {
  /** `lin_` and a suffix; the ticket's id follows from it. */
  readonly id: string;
  readonly productId: string;
  readonly performanceId: string;
  /** ISO 8601 UTC; of the performance. */
  readonly startDate: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  /** What the tariff asks of the contact. */
  readonly criterion: string | null;
  readonly place: Place;
  /** An integer in the minor unit of the order's currency. */
  readonly amount: number;
}

/** Who will come; either name may be missing. */
export interface Beneficiary {
  readonly firstName: string | null;
  readonly lastName: string | null;
}

export interface Line extends NewLine {
  /** Absent or null: nobody is named. */
  readonly beneficiary?: Beneficiary | null;
  /** The ticket that is valid now; null before the confirmation. */
  readonly ticketId: string | null;
  /** Every replacement told of so far, in any order. */
  readonly replacements: readonly { readonly ticketId: string; readonly replaces: string }[];
}

export const paymentStates = ['pending', 'captured', 'failed'] as const;

export interface Payment {
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  readonly status: (typeof paymentStates)[number];
  /** A hash of the idempotency key, by which a repeat finds its payment. */
  readonly request: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Refund {
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  /** As in a payment. */
  readonly request: string | null;
  readonly createdAt: number;
}

/** What became of a cancellation: each number is null until it is known. */
export interface Cancellation {
  readonly reason: string | null;
  readonly requestedAt: number;
  /** Whether there were tickets to cancel: then the places follow them, otherwise the order itself. */
  readonly hadTickets: boolean;
  /** Whether controlled tickets were to be cancelled, too. */
  readonly override?: boolean;
  readonly ticketsCancelled: number | null;
  readonly controlled: number | null;
  readonly placesReleased: number | null;
  /** When all three numbers were known. */
  readonly settledAt: number | null;
  /** Versions of the facts that the numbers come from; older facts are ignored. */
  readonly ticketsVersion: number;
  readonly placesVersion: number;
}

/** The last that is known of a ticket's control, by the version of the ticket. */
export interface TicketControl {
  readonly ticketId: string;
  readonly version: number;
  readonly controlled: boolean;
}

/** How a cart became an order. */
export interface Checkout {
  /** The shopper's request, as the point of sale names it: a repeat of it is answered with the same order. */
  readonly requestId: string;
  readonly paymentMethod: string;
  readonly at: number;
}

/** What somebody without a login said of himself at the checkout, until it is in the contact that the order names. */
export interface Guest {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  /** ISO 639. */
  readonly language?: string;
  /** When it was said; epoch milliseconds. */
  readonly since: number;
}

/** Numbers of contacts that were made of guests who are no buyers any more, until contacts has been told to forget them. */
export interface FormerGuests {
  readonly contactNumbers: readonly string[];
  /** When the last one was added; epoch milliseconds. */
  readonly since: number;
}

/** What is being bought. Instants are epoch milliseconds, amounts integers in the currency's minor unit. */
export interface Order {
  readonly id: string;
  readonly state: State;
  readonly client: string | null;
  readonly pointOfSale: string | null;
  readonly contactNumber: string | null;
  readonly externalReference: string | null;
  /** ISO 4217; empty in a draft. */
  readonly currency: string;
  readonly lines: readonly Line[];
  /** The performances of the lines (of a draft: those wanted), each once. */
  readonly performanceIds: readonly string[];
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
  /** When the hold ends, or ended; of a reserved order the same as `dueAt`. Null once sold. */
  readonly expiresAt: number | null;
  readonly dueAt: number | null;
  /** When the order expires by itself, grace included; null when it never does. Past due from this instant on. */
  readonly deadline: number | null;
  /** Where a `payment_pending` order goes when its payment fails; null in the other states. */
  readonly cameFrom: 'open' | 'reserved' | null;
  readonly confirmedAt: number | null;
  readonly cancellation: Cancellation | null;
  readonly ticketNotes: readonly TicketControl[];
  /** A step that is under way; null otherwise. */
  readonly begun: PendingStep | null;
  /** Unsold places that it holds or is about to hold: what the limit per client adds up. */
  readonly heldPlaces: number;
  /** Since when tickets must be told who will come; absent or null once it has been, or if nobody is named. */
  readonly namesDue?: number | null;
  /** Absent: it never was a cart, or still is one. */
  readonly checkout?: Checkout;
  /** Absent or null: there is no contact to be written. */
  readonly guest?: Guest | null;
  /** The number of the contact that is, or will be, made of the guest who bought it last; absent or null: none did. */
  readonly guestContact?: string | null;
  /** Absent or null: there are none. */
  readonly formerGuests?: FormerGuests | null;
  /** A contact of the order that was erased: no guest is written under its number again. */
  readonly erasedContact?: string;
  /** When a cart ended that was never bought; absent or null of everything else. */
  readonly abandonedAt?: number | null;
  readonly createdAt: number;
  /** When something that can be seen changed last; null while not listed. */
  readonly modifiedAt: number | null;
  /** Since when lists show it; null for drafts and carts. */
  readonly listedAt: number | null;
}
