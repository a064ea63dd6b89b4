import type { Asked } from '../client/request.ts';
import type { OrderView } from '../client/views.ts';

/** What a client can ask for. */
export type Action = 'create' | 'confirm' | 'cancel' | 'pay' | 'reserve' | 'extend' | 'add' | 'print' | 'control';

/** What a client knows of a request: done, not done, or it has heard nothing that it can rely on. */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** One thing that a client asked for, under one idempotency key, as often as it asked. */
export interface Entry extends Omit<Asked, 'reply'> {
  readonly action: Action;
  readonly key: string;
  /** What it was about: an order (null for one that was to be made), or a ticket. */
  readonly subject: string | null;
  /** The money of a payment, in minor units. */
  readonly amount?: number;
  readonly outcome: Outcome;
  /** Of the last answer; null when there was none. */
  readonly status: number | null;
  readonly code: string | null;
  /** The body of the answer; null unless it was `ok`. */
  readonly answer: unknown;
  /** What the same key gave when it was used once more after the answer. */
  readonly repeated?: 'the same' | string;
}

/** What a visitor of a point of sale was answered when he asked to buy his cart. */
export interface CheckoutAnswer {
  /** Null: none came. */
  readonly status: number | null;
  readonly code: string | null;
  /** The order that it shows. */
  readonly orderId: string | null;
  readonly state: OrderView['state'] | null;
  /** What a 500 says of its consequences; null where it says nothing. */
  readonly orderCancelled: boolean | null;
  readonly userLoggedOut: boolean | null;
}

/** Whether the answer leaves open what becomes of the order: nobody knows, or somebody is still at it. */
export const isOpen = ({ status, code }: CheckoutAnswer): boolean =>
  status === null || status >= 500 || status === 429 || code === 'order_busy' || code === 'idempotency_in_progress';

/** A visitor's purchase of one cart: every try of it, under one key or without any. */
export interface Checkout {
  readonly cartId: string;
  readonly key: string | null;
  /** In the order in which they came. */
  readonly answers: readonly CheckoutAnswer[];
  /** How the institution saw the order after each answer that called it cancelled. */
  readonly sightings: readonly OrderView['state'][];
  /** Whether the visitor's session was there after the last answer; null: nobody said. */
  readonly inSession: boolean | null;
}

/** What clients remember of a round. */
export interface Journal {
  readonly entries: readonly Entry[];
  readonly checkouts: readonly Checkout[];
  /** The carts that visitors were told of. */
  readonly carts: ReadonlySet<string>;
  write(entry: Entry): void;
  checkedOut(checkout: Checkout): void;
  filled(cartId: string): void;
}

/** An empty journal. */
export const createJournal = (): Journal => {
  const entries: Entry[] = [];
  const checkouts: Checkout[] = [];
  const carts = new Set<string>();
  return {
    entries,
    checkouts,
    carts,
    write: (entry) => void entries.push(entry),
    checkedOut: (checkout) => void checkouts.push(checkout),
    filled: (cartId) => void carts.add(cartId),
  };
};

/** The order that an entry is about, made or changed; undefined when the client does not know it. */
export const orderOf = ({ action, subject, answer }: Entry): string | undefined => {
  if (action === 'create') return (answer as OrderView | null)?.id;
  return action === 'print' || action === 'control' ? undefined : (subject ?? undefined);
};

/** What a visitor knows of a purchase when he has asked for the last time. */
const outcomeOf = ({ answers }: Checkout): Outcome => {
  const last = answers.at(-1);
  if (last === undefined || isOpen(last)) return 'unknown';
  return Number(last.status) < 300 ? 'ok' : 'refused';
};

/** How many 500s visitors were answered, and how many of them said that the order is cancelled. */
export const failuresOf = (checkouts: readonly Checkout[]): { readonly failed: number; readonly cancelled: number } => {
  const failures = checkouts.flatMap(({ answers }) => answers).filter(({ status }) => status === 500);
  return { failed: failures.length, cancelled: failures.filter(({ orderCancelled }) => orderCancelled).length };
};

/** How many requests and purchases had each outcome. */
export const countsOf = ({ entries, checkouts }: Pick<Journal, 'entries' | 'checkouts'>): Record<Outcome, number> => {
  const counts = { ok: 0, refused: 0, unknown: 0 };
  for (const { outcome } of entries) counts[outcome] += 1;
  for (const checkout of checkouts) counts[outcomeOf(checkout)] += 1;
  return counts;
};
