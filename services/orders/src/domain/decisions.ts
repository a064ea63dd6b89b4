import type { DomainFact } from './order/facts.ts';
import type { Order, State } from './order/order.ts';

/**
 * Code; the reason for visitors, null if no visitor's request is refused for it (code and text of family B:
 * services/pos/src/orders/refusals.ts); an English sentence, absent if the rules always say more.
 */
type Row = readonly [code: string, shopReason: string | null, details?: string];

/** Of an order in a state in which the code says more. */
export const codesByState = {
  wrong_state: {
    expired: 'order_expired',
    cancelled: 'order_cancelled',
    confirmed: 'order_confirmed',
    payment_pending: 'order_payment_pending',
  },
  not_changeable: {
    open: 'order_not_confirmed',
    reserved: 'order_not_confirmed',
    payment_pending: 'order_not_confirmed',
    expired: 'order_expired',
    cancelled: 'order_cancelled',
  },
} as const;

/** Whatever the reason, a refusal that leaves money recorded answers family A `payment_recorded`. */
export const refusals = {
  // Paid in full and not sold yet, the order or its pending change: sell that, then decide again.
  sale_due: ['conflict', 'busy', 'The order is being confirmed or changed; repeat this shortly.'],
  overtaken: ['conflict', 'busy', 'Another request is changing the order; repeat this one shortly.'],
  not_due: ['conflict', null, 'The order does not expire now.'],

  unknown_order: ['not_found', null, 'There is no resource with this id.'],
  unknown_line: ['not_found', 'unknown_line', 'There is no resource with this id.'],
  unknown_discount: ['not_found', 'unknown_discount', 'There is no resource with this id.'],
  unknown_payment: ['not_found', null, 'There is no resource with this id.'],
  unknown_refund: ['not_found', null, 'There is no resource with this id.'],

  // By the bounds of the client.
  on_account_excluded: [
    'forbidden',
    null,
    'By its bounds this client confirms nothing on account: record the payment.',
  ],

  wrong_state: ['precondition_failed', 'cart_gone'],
  // Write `expire`, then decide again.
  past_due: ['order_expired', 'cart_gone'],
  empty: ['order_empty', 'empty'],
  unpaid: ['order_unpaid', 'unpaid', 'Something is due.'],
  ticket_controlled: ['order_ticket_controlled', 'not_cancellable'],

  cart_gone: ['precondition_failed', 'cart_gone', 'The cart was bought already.'],
  cart_expired: ['order_expired', 'cart_expired', 'The places of the cart are no longer held.'],
  account_required: ['precondition_failed', 'account_required', 'Only contacts with an account buy on account.'],
  tariff_not_accessible: ['order_tariff_not_accessible', 'tariff_not_accessible'],
  unknown_code: ['discount_unknown_code', 'unknown_code'],
  code_used_up: ['discount_limit_reached', 'code_used_up'],
  code_not_applicable: ['discount_not_applicable', 'code_not_applicable'],
  too_many_codes: ['semantically_invalid', 'too_many_codes', 'A cart has at most 10 codes.'],
  // Price it for the one who buys it, then decide again.
  other_prices: ['conflict', 'busy', 'The cart has the prices of another contact; repeat this shortly.'],
  dearer: ['order_tariff_not_accessible', 'dearer', 'The cart costs more for this contact than it shows.'],
  tariff_locked: [
    'order_tariff_locked',
    'tariff_locked',
    'A tariff is sold only with a discount that unlocks it: name its code in $.codes.',
  ],
  payment_declined: ['precondition_failed', 'payment_declined', 'The payment was declined.'],
  not_cancellable: ['precondition_failed', 'not_cancellable'],
  performance_begun: [
    'precondition_failed',
    'not_cancellable',
    'The first performance has started, so it cannot be cancelled.',
  ],

  // Of changes of confirmed orders.
  not_changeable: ['precondition_failed', 'not_changeable'],
  change_in_progress: ['change_in_progress', 'change_in_progress'],
  change_not_allowed: ['change_not_allowed', 'not_changeable'],
  change_ticket_controlled: ['order_ticket_controlled', 'not_changeable'],
  difference_changed: ['change_difference_changed', 'difference_changed'],
  change_overpaid: ['semantically_invalid', 'busy'],
  unknown_change: ['not_found', 'unknown_change', 'There is no resource with this id.'],
  change_final: ['change_final', 'not_changeable'],

  // The first four and `invalid_reference` are the catalog's reasons as well.
  places_unavailable: ['order_places_unavailable', 'places_unavailable'],
  not_on_sale: ['order_not_on_sale', 'not_on_sale'],
  too_many_places: ['order_too_many_places', 'too_many_places'],
  tariff_not_sold_here: ['order_tariff_not_sold_here', 'tariff_not_sold_here'],
  hold_limit: ['order_hold_limit', 'hold_limit'],
  // The order has the place already.
  place_repeated: ['precondition_failed', 'places_unavailable', 'A place of the new lines belongs to a line already.'],
  places_gone: ['precondition_failed', 'places_gone'],

  invalid_reference: ['semantically_invalid', 'invalid_reference'],
  invalid_items: ['semantically_invalid', 'invalid_items', 'quantity must equal the number of placeIds'],
  currency_mismatch: ['semantically_invalid', 'invalid_reference'],
  invalid_amount: ['validation_error', 'invalid_reference', 'The prices do not add up to an exact integer.'],
  overpaid_pending: ['semantically_invalid', null, '$.overpaid is of captured money, so $.status must be captured.'],
  due_in_past: ['semantically_invalid', null, '$.dueAt must be in the future.'],
  due_too_late: ['semantically_invalid', null],

  exceeds_due: ['payment_exceeds_due', null],
  total_differs: ['order_total_differs', null],
  exceeds_paid: ['refund_exceeds_paid', null],
  payment_final: ['payment_final', null],
  payment_by_provider: ['payment_by_provider', null, 'The payment is by a provider, so only the provider settles it.'],
  payment_disputed: ['payment_disputed', null, 'The payment is in dispute, so it cannot be refunded now.'],
  not_payable: [
    'precondition_failed',
    'not_payable',
    'Three hours after its checkout an order cannot be paid any more.',
  ],
  // Of a provider's page: another one is opened for what is due.
  amount_differs: ['precondition_failed', 'amount_differs'],
  late_and_unpaid: [
    'payment_recorded',
    null,
    'The payment is recorded, but the order is past its deadline and not paid in full.',
  ],
  change_lapsed: [
    'payment_recorded',
    null,
    'The payment is recorded, but the change has lapsed and cannot be done any more; the money is credit.',
  ],
  paid_after_cancellation: [
    'payment_recorded',
    'cart_gone',
    'The payment is recorded, but the order is cancelled; refund it.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

export type Reason = keyof typeof refusals;

/** A rule may leave the text to the table where that has one. */
export type Details<R extends Reason> = (typeof refusals)[R] extends readonly [string, string | null, string]
  ? readonly [details?: string]
  : readonly [details: string];

export type ShopReason = NonNullable<(typeof refusals)[Reason][1]>;

export const shopReasons: readonly ShopReason[] = [
  ...new Set(Object.values(refusals).flatMap(([, shopReason]) => shopReason ?? [])),
];

export function findShopReason(reason: Reason): ShopReason | null {
  return refusals[reason][1];
}

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
  return { refused: { reason, details: details ?? rows[reason][2] ?? '' } };
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
