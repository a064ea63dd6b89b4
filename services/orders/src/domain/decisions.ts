import type { DomainFact } from './order/facts.ts';
import type { Order, State } from './order/order.ts';

interface Row {
  readonly code: string;
  readonly codeIn?: Readonly<Partial<Record<State, string>>>;
  /** Null if no visitor's request is refused for it. Code and text of family B: services/pos/src/orders/refusals.ts. */
  readonly shopReason: string | null;
  /** English; absent if the rules always say more. */
  readonly details?: string;
}

/** Whatever the reason, a refusal that leaves money recorded answers family A `payment_recorded`. */
export const refusals = {
  // Paid in full and not sold yet, the order or its pending change: sell that, then decide again.
  sale_due: {
    code: 'conflict',
    shopReason: 'busy',
    details: 'The order is being confirmed or changed; repeat this shortly.',
  },
  overtaken: {
    code: 'conflict',
    shopReason: 'busy',
    details: 'Another request is changing the order; repeat this one shortly.',
  },
  not_due: { code: 'conflict', shopReason: null, details: 'The order does not expire now.' },

  unknown_order: { code: 'not_found', shopReason: null, details: 'There is no resource with this id.' },
  unknown_line: { code: 'not_found', shopReason: 'unknown_line', details: 'There is no resource with this id.' },
  unknown_discount: {
    code: 'not_found',
    shopReason: 'unknown_discount',
    details: 'There is no resource with this id.',
  },
  unknown_payment: { code: 'not_found', shopReason: null, details: 'There is no resource with this id.' },
  unknown_refund: { code: 'not_found', shopReason: null, details: 'There is no resource with this id.' },

  // By the bounds of the client.
  on_account_excluded: {
    code: 'forbidden',
    shopReason: null,
    details: 'By its bounds this client confirms nothing on account: record the payment.',
  },

  wrong_state: {
    code: 'precondition_failed',
    codeIn: {
      expired: 'order_expired',
      cancelled: 'order_cancelled',
      confirmed: 'order_confirmed',
      payment_pending: 'order_payment_pending',
    },
    shopReason: 'cart_gone',
  },
  // Write `expire`, then decide again.
  past_due: { code: 'order_expired', shopReason: 'cart_gone' },
  empty: { code: 'order_empty', shopReason: 'empty' },
  unpaid: { code: 'order_unpaid', shopReason: 'unpaid', details: 'Something is due.' },
  ticket_controlled: { code: 'order_ticket_controlled', shopReason: 'not_cancellable' },

  cart_gone: { code: 'precondition_failed', shopReason: 'cart_gone', details: 'The cart was bought already.' },
  cart_expired: {
    code: 'order_expired',
    shopReason: 'cart_expired',
    details: 'The places of the cart are no longer held.',
  },
  account_required: {
    code: 'precondition_failed',
    shopReason: 'account_required',
    details: 'Only contacts with an account buy on account.',
  },
  tariff_not_accessible: { code: 'order_tariff_not_accessible', shopReason: 'tariff_not_accessible' },
  unknown_code: { code: 'discount_unknown_code', shopReason: 'unknown_code' },
  code_used_up: { code: 'discount_limit_reached', shopReason: 'code_used_up' },
  code_not_applicable: { code: 'discount_not_applicable', shopReason: 'code_not_applicable' },
  too_many_codes: {
    code: 'semantically_invalid',
    shopReason: 'too_many_codes',
    details: 'A cart has at most 10 codes.',
  },
  // Price it for the one who buys it, then decide again.
  other_prices: {
    code: 'conflict',
    shopReason: 'busy',
    details: 'The cart has the prices of another contact; repeat this shortly.',
  },
  dearer: {
    code: 'order_tariff_not_accessible',
    shopReason: 'dearer',
    details: 'The cart costs more for this contact than it shows.',
  },
  tariff_locked: {
    code: 'order_tariff_locked',
    shopReason: 'tariff_locked',
    details: 'A tariff is sold only with a discount that unlocks it: name its code in $.codes.',
  },
  payment_declined: {
    code: 'precondition_failed',
    shopReason: 'payment_declined',
    details: 'The payment was declined.',
  },
  not_cancellable: { code: 'precondition_failed', shopReason: 'not_cancellable' },
  performance_begun: {
    code: 'precondition_failed',
    shopReason: 'not_cancellable',
    details: 'The first performance has started, so it cannot be cancelled.',
  },

  // Of changes of confirmed orders.
  not_changeable: {
    code: 'precondition_failed',
    codeIn: {
      open: 'order_not_confirmed',
      reserved: 'order_not_confirmed',
      payment_pending: 'order_not_confirmed',
      expired: 'order_expired',
      cancelled: 'order_cancelled',
    },
    shopReason: 'not_changeable',
  },
  change_in_progress: { code: 'change_in_progress', shopReason: 'change_in_progress' },
  change_not_allowed: { code: 'change_not_allowed', shopReason: 'not_changeable' },
  change_ticket_controlled: { code: 'order_ticket_controlled', shopReason: 'not_changeable' },
  difference_changed: { code: 'change_difference_changed', shopReason: 'difference_changed' },
  change_overpaid: { code: 'semantically_invalid', shopReason: 'busy' },
  unknown_change: {
    code: 'not_found',
    shopReason: 'unknown_change',
    details: 'There is no resource with this id.',
  },
  change_final: { code: 'change_final', shopReason: 'not_changeable' },

  // The first four and `invalid_reference` are the catalog's reasons as well.
  places_unavailable: { code: 'order_places_unavailable', shopReason: 'places_unavailable' },
  not_on_sale: { code: 'order_not_on_sale', shopReason: 'not_on_sale' },
  too_many_places: { code: 'order_too_many_places', shopReason: 'too_many_places' },
  tariff_not_sold_here: { code: 'order_tariff_not_sold_here', shopReason: 'tariff_not_sold_here' },
  hold_limit: { code: 'order_hold_limit', shopReason: 'hold_limit' },
  // The order has the place already.
  place_repeated: {
    code: 'precondition_failed',
    shopReason: 'places_unavailable',
    details: 'A place of the new lines belongs to a line already.',
  },
  places_gone: { code: 'precondition_failed', shopReason: 'places_gone' },

  invalid_reference: { code: 'semantically_invalid', shopReason: 'invalid_reference' },
  invalid_items: {
    code: 'semantically_invalid',
    shopReason: 'invalid_items',
    details: 'quantity must equal the number of placeIds',
  },
  currency_mismatch: { code: 'semantically_invalid', shopReason: 'invalid_reference' },
  invalid_amount: {
    code: 'validation_error',
    shopReason: 'invalid_reference',
    details: 'The prices do not add up to an exact integer.',
  },
  overpaid_pending: {
    code: 'semantically_invalid',
    shopReason: null,
    details: '$.overpaid is of captured money, so $.status must be captured.',
  },
  due_in_past: { code: 'semantically_invalid', shopReason: null, details: '$.dueAt must be in the future.' },
  due_too_late: { code: 'semantically_invalid', shopReason: null },

  exceeds_due: { code: 'payment_exceeds_due', shopReason: null },
  total_differs: { code: 'order_total_differs', shopReason: null },
  exceeds_paid: { code: 'refund_exceeds_paid', shopReason: null },
  payment_final: { code: 'payment_final', shopReason: null },
  payment_by_provider: {
    code: 'payment_by_provider',
    shopReason: null,
    details: 'The payment is by a provider, so only the provider settles it.',
  },
  payment_disputed: {
    code: 'payment_disputed',
    shopReason: null,
    details: 'The payment is in dispute, so it cannot be refunded now.',
  },
  not_payable: {
    code: 'precondition_failed',
    shopReason: 'not_payable',
    details: 'Three hours after its checkout an order cannot be paid any more.',
  },
  // Of a provider's page: another one is opened for what is due.
  amount_differs: { code: 'precondition_failed', shopReason: 'amount_differs' },
  late_and_unpaid: {
    code: 'payment_recorded',
    shopReason: null,
    details: 'The payment is recorded, but the order is past its deadline and not paid in full.',
  },
  change_lapsed: {
    code: 'payment_recorded',
    shopReason: null,
    details: 'The payment is recorded, but the change has lapsed and cannot be done any more; the money is credit.',
  },
  paid_after_cancellation: {
    code: 'payment_recorded',
    shopReason: 'cart_gone',
    details: 'The payment is recorded, but the order is cancelled; refund it.',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type Reason = keyof typeof refusals;

/** A rule may leave the text to the table where that has one. */
export type Details<R extends Reason> = (typeof refusals)[R] extends { readonly details: string }
  ? readonly [details?: string]
  : readonly [details: string];

export const shopReasons: readonly NonNullable<(typeof refusals)[Reason]['shopReason']>[] = [
  ...new Set(Object.values(refusals).flatMap(({ shopReason }) => shopReason ?? [])),
];

/** `details`: an English sentence for humans. */
export interface Refusal {
  readonly reason: Reason;
  readonly details: string;
  readonly state?: State;
  /** Despite the refusal. */
  readonly recorded?: { readonly orderId: string; readonly paymentId: string };
  /** Of codes that nobody has made, how many. */
  readonly unknownCodes?: number;
}

/** Nothing may be written. */
export interface Refused {
  readonly refused: Refusal;
}

/** Written with its facts in one write. `next` is the same object if nothing changes. */
export interface Accepted<O extends Order = Order> {
  readonly next: O;
  readonly facts: readonly DomainFact[];
  /** Answered after the write: the change is kept, but the command did not succeed. */
  readonly answer?: Refusal;
}

export type Decision<O extends Order = Order> = Accepted<O> | Refused;

const rows: Readonly<Record<Reason, Row>> = refusals;

/** Without `details` it says what the table says. */
export function refuse<R extends Reason>(reason: R, ...[details]: Details<R>): Refused {
  return { refused: { reason, details: details ?? rows[reason].details ?? '' } };
}

export function accept<O extends Order>(next: O, ...facts: readonly DomainFact[]): Accepted<O> {
  return { next, facts };
}

/** `paymentId`: the payment recorded with the change. */
export function acceptButRefuse<O extends Order>(
  kept: Accepted<O>,
  { refused }: Refused,
  paymentId?: string | null,
): Accepted<O> {
  return {
    ...kept,
    answer: { ...refused, ...(paymentId ? { recorded: { orderId: kept.next.id, paymentId } } : {}) },
  };
}

export function isRefused(decision: Decision): decision is Refused {
  return 'refused' in decision;
}
