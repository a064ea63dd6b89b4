/** The invariants of an installation at any instant, except for pending work. */
export const invariants = {
  capacity:
    'free + held + sold = capacity, per performance and seat category; of the uses of a discount or code, the limit',
  place_state: 'a place is free, held, sold or withdrawn, and names its holder',
  place_owner: 'a held or sold place belongs to an order that may have it, or to a controlled ticket',
  line_place: 'every line of a live order has its place and its uses of discounts, and no other live order has them',
  line_use: 'a line has one use of each limited code that it has, at most one of its discount, and none of another one',
  price: 'the prices of lines and orders are what they are made of, and so are their taxes',
  line_ticket: 'every line of a confirmed order has exactly one live ticket, for its place',
  cancelled_ticket: 'a cancelled order has no valid ticket',
  cancellation: 'a cancellation is settled, with the counts of its tickets and places',
  order_state: 'an order’s state, times and held places agree',
  payments:
    'payments and refunds are whole amounts of the order’s currency, fit its state, and no more is refunded than ' +
    'was paid',
  provider_payment: 'a payment of a provider has in its order what the provider has answered',
  provider_refund: 'a refund of a provider has in its order what the provider has answered',
  payment_mismatch:
    'money of another amount or currency than was asked for is acknowledged (payments acknowledge), and its refund ' +
    'has not failed since',
  ticket_order: 'every ticket is of a line of a confirmed or cancelled order',
  ticket_bounds: 'a ticket has the buyer and the point of sale of its order, which say what users see it',
  ticket_lineage: 'a replaced ticket and the one that replaces it name each other',
  contact: 'the contacts that orders and logins name exist, and no login has an erased one',
  erasure: 'orders and tickets of an erased contact contain no name',
  user: 'a user’s state, role and password agree, and no user has an erased contact',
  sign_in: 'grants and sessions are of users and clients of their institution, and end in time',
  api_key: 'a deleted API key is of no origin, and counted requests are of a key that exists',
  usage: 'the usage of the minutes adds up to that of their hour, and of the hours to that of their day',
  event: 'the last announced change of each resource has its event',
  event_sequence: 'the sequence of an institution’s events has no gap, and each resource’s events are in order',
  local_time: 'at the start of a performance to come, the clocks of its venue show what was meant (performances moved)',
  session_cart: 'the cart of a session is an order of its point of sale',
} as const;

export type Invariant = keyof typeof invariants;

export interface Finding {
  readonly invariant: Invariant;
  /** The ids of the documents at fault: orders, places, tickets … */
  readonly offenders: readonly string[];
  readonly text: string;
  /** Whether pending work will correct it: it counts only if it outlasts that work. */
  readonly underWay?: boolean;
}

/** The kinds of documents that are read again, by id, after a finding. */
export type Kind =
  | 'performance'
  | 'price_rule'
  | 'discount_code'
  | 'place'
  | 'order'
  | 'provider_payment'
  | 'provider_refund'
  | 'ticket'
  | 'contact'
  | 'session'
  | 'login'
  | 'user'
  | 'sign_in'
  | 'grant'
  | 'api_key'
  | 'api_key_use'
  | 'usage'
  | 'announced_order'
  | 'announced_ticket'
  | 'announced_contact'
  | 'announced_product'
  | 'announced_performance'
  | 'event';

/** A document and everything that was read to judge it. */
export interface Case {
  readonly kind: Kind;
  readonly id: string;
  readonly institution: string;
  readonly findings: readonly Finding[];
  /** The versions of everything that was read for it: an equal text means that nothing has changed. */
  readonly seen: string;
  /** Keys of events: while one is pending, so is the case. */
  readonly concerns: readonly string[];
}

interface Versioned {
  readonly id: string;
  readonly version: number;
  readonly institution: string;
}

export function createCase(
  kind: Kind,
  { id, institution, version }: Versioned,
  findings: readonly Finding[],
  read: readonly Versioned[] = [],
  concerns: readonly string[] = [],
): Case {
  const versions = [{ id, version }, ...read].map((one) => `${one.id}@${one.version}`);
  return { kind, id, institution, findings, seen: versions.sort().join(' '), concerns: [id, ...concerns] };
}

/** Whether a rule holds, what is wrong otherwise, and the other document at fault. */
export type Rule = readonly [holds: boolean, text: string, other?: string];

/** The findings of the rules that do not hold for a document; `subject` begins their texts. */
export function findBrokenRules(invariant: Invariant, id: string, subject: string, rules: readonly Rule[]): Finding[] {
  return rules
    .filter(([holds]) => !holds)
    .map(([, text, other]) => ({
      invariant,
      offenders: other === undefined ? [id] : [id, other],
      text: `${subject} ${text}`,
    }));
}
