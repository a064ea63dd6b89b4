/** What must be true of an installation at any instant, but for what is under way. */
export const invariants = {
  capacity: 'free + held + sold = capacity, per performance and seat category',
  place_state: 'a place is free, held, sold or withdrawn, and says who has it',
  place_owner: 'what is held or sold belongs to an order that may have it, or is the place of a controlled ticket',
  line_place: 'every line of a live order has its place, and no other live order has it',
  line_ticket: 'every line of a confirmed order has exactly one live ticket, for its place',
  cancelled_ticket: 'a cancelled order has no valid ticket',
  cancellation: 'a settled cancellation says what became of tickets and places',
  order_state: 'an order’s state, instants and held places agree',
  payments:
    'payments and refunds are whole amounts of the order’s currency, fit its state, and no more is refunded than was paid',
  ticket_order: 'every ticket is of a line of a confirmed or cancelled order',
  ticket_lineage: 'a replaced ticket and the one that replaces it name each other',
  contact: 'the contacts that orders and logins name exist, and nobody logs in as an erased one',
  erasure: 'orders and tickets of an erased contact name nobody',
  session_cart: 'the cart of a session is an order of its point of sale',
} as const;

export type Invariant = keyof typeof invariants;

/** Something that looks wrong in one reading. */
export interface Finding {
  readonly invariant: Invariant;
  /** The ids of what is wrong: orders, places, tickets … */
  readonly offenders: readonly string[];
  /** In words. */
  readonly text: string;
  /** A process is about to set it right: it counts only if it is still so when that is over. */
  readonly underWay?: boolean;
}

/** What is looked at again when it looks wrong, by its id. */
export type Kind = 'performance' | 'place' | 'order' | 'ticket' | 'contact' | 'session' | 'login';

/** One thing and all that was read to judge it. */
export interface Case {
  readonly kind: Kind;
  readonly id: string;
  readonly institution: string;
  readonly findings: readonly Finding[];
  /** The versions of everything that was read for it: the same text means that nothing has changed. */
  readonly seen: string;
  /** Keys of events: while one is on its way, the case is. */
  readonly concerns: readonly string[];
}

interface Versioned {
  readonly id: string;
  readonly version: number;
  readonly institution: string;
}

/** The versions of documents as one text. */
export const versionsOf = (documents: readonly Versioned[]): string =>
  documents
    .map(({ id, version }) => `${id}@${version}`)
    .sort()
    .join(' ');

/** A case of a document, and of whatever else was read for it; nothing is spelled out where nothing was found. */
export const caseOf = (
  kind: Kind,
  subject: Versioned,
  findings: readonly Finding[],
  others: () => { readonly read: readonly Versioned[]; readonly concerns: readonly string[] },
): Case => {
  const { id, institution } = subject;
  if (findings.length === 0) return { kind, id, institution, findings, seen: '', concerns: [] };
  const { read, concerns } = others();
  return { kind, id, institution, findings, seen: versionsOf([subject, ...read]), concerns: [id, ...concerns] };
};
