import type { Asked, OrderView } from '../client/api.ts';

export type Action =
  | 'create'
  | 'confirm'
  | 'cancel'
  | 'pay'
  | 'pledge'
  | 'settle'
  | 'refund'
  | 'reserve'
  | 'extend'
  | 'add'
  | 'remove'
  | 'change'
  | 'alter'
  | 'withdraw'
  | 'print'
  | 'control'
  | 'revert'
  | 'replace';

const ofTickets: readonly Action[] = ['print', 'control', 'revert', 'replace'];

export function isAboutTicket({ action }: Pick<Entry, 'action'>): boolean {
  return ofTickets.includes(action);
}

/** The outcome of a request: done, not done, or inconclusive. */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** One action of a client under one idempotency key, with all its repeats. */
export interface Entry extends Omit<Asked, 'reply'> {
  readonly action: Action;
  readonly key: string;
  /** The subject: an order (null for a creation) or a ticket. */
  readonly subject: string | null;
  /** The amount of a payment or refund, in minor units. */
  readonly amount?: number;
  readonly isSold?: true;
  /** The line that it removes, the contact that it names, the change that it ends, or whether it overrides. */
  readonly detail?: string;
  readonly outcome: Outcome;
  /** The status of the last response; null without one. */
  readonly status: number | null;
  readonly code: string | null;
  /** The body of the response; null unless the outcome is `ok`. */
  readonly answer: unknown;
  /** The result of another request with the same key after the response. */
  readonly repeated?: 'the same' | string;
}

export interface CheckoutAnswer {
  /** Null without a response. */
  readonly status: number | null;
  readonly code: string | null;
  readonly orderId: string | null;
  readonly state: OrderView['state'] | null;
  /** The consequences that a 500 reports; null where it reports none. */
  readonly orderCancelled: boolean | null;
  readonly userLoggedOut: boolean | null;
}

/** Whether the response leaves the order's outcome open: unknown, or still in progress. */
export function isOpen({ status, code }: CheckoutAnswer): boolean {
  return (
    status === null || status >= 500 || status === 429 || code === 'order_busy' || code === 'idempotency_in_progress'
  );
}

/** A visitor's purchase of one cart: all tries, under one key or without any. */
export interface Checkout {
  readonly cartId: string;
  readonly key: string | null;
  readonly answers: readonly CheckoutAnswer[];
  readonly sightings: readonly OrderView['state'][];
  /** Whether the visitor's session was valid after the last response; null where that is unknown. */
  readonly inSession: boolean | null;
}

export interface Journal {
  readonly entries: Entry[];
  readonly checkouts: Checkout[];
  readonly carts: Set<string>;
}

export function createJournal(): Journal {
  return { entries: [], checkouts: [], carts: new Set() };
}

/** The order that an entry is about, made or changed; undefined when the client does not know it. */
export function getOrderId(entry: Entry): string | undefined {
  const { action, subject, answer } = entry;
  if (action === 'create') return (answer as OrderView | null)?.id;
  return isAboutTicket(entry) ? undefined : (subject ?? undefined);
}

/** How many requests and purchases had each outcome. */
export function countOutcomes({ entries, checkouts }: Pick<Journal, 'entries' | 'checkouts'>): Record<Outcome, number> {
  const counts = { ok: 0, refused: 0, unknown: 0 };
  for (const { outcome } of entries) counts[outcome] += 1;
  for (const checkout of checkouts) counts[outcomeOf(checkout)] += 1;
  return counts;
}

/** The outcome of a checkout after its last try. */
const outcomeOf = ({ answers }: Checkout): Outcome => {
  const last = answers.at(-1);
  if (last === undefined || isOpen(last)) return 'unknown';
  return Number(last.status) < 300 ? 'ok' : 'refused';
};
