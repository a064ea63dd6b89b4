import { Fault } from '@boxoffice/envelope';
import type { OrdersContext } from '../context.ts';
import type { Reason } from '../domain/order/decision.ts';
import { RefusedByRule } from '../faults.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/** Reasons for which a visitor's request is refused; the point of sale maps each to its own code. */
export const shopReasons = [
  'places_unavailable',
  'not_on_sale',
  'too_many_places',
  'hold_limit',
  'tariff_not_sold_here',
  'invalid_reference',
  'invalid_items',
  'tariff_not_accessible',
  'account_required',
  'cart_gone',
  'cart_expired',
  'cart_empty',
  'payment_declined',
  'places_gone',
  'unknown_line',
  'not_cancellable',
  'busy',
] as const;
export type ShopReason = (typeof shopReasons)[number];

/** The outcome of a visitor's request: the order after it, and the refusal if it was refused. */
export interface Outcome {
  readonly order: OrderDocument | undefined;
  readonly refusal?: { readonly reason: ShopReason; readonly details: string };
}

const byRule: Readonly<Partial<Record<Reason, ShopReason>>> = {
  busy: 'busy',
  step_lost: 'busy',
  wrong_state: 'cart_gone',
  past_due: 'cart_gone',
  checked_out: 'cart_gone',
  empty: 'cart_empty',
  places_gone: 'places_gone',
  not_sold: 'places_gone',
  ticket_controlled: 'not_cancellable',
  performance_begun: 'not_cancellable',
  unknown_line: 'unknown_line',
  currency_mismatch: 'invalid_reference',
  invalid_amount: 'invalid_reference',
  tariff_not_accessible: 'tariff_not_accessible',
  account_required: 'account_required',
  payment_declined: 'payment_declined',
};

const byCode: Readonly<Partial<Record<Fault['code'], ShopReason>>> = {
  order_places_unavailable: 'places_unavailable',
  order_not_on_sale: 'not_on_sale',
  order_too_many_places: 'too_many_places',
  order_hold_limit: 'hold_limit',
  order_tariff_not_sold_here: 'tariff_not_sold_here',
  semantically_invalid: 'invalid_reference',
  conflict: 'busy',
};

/** Overrides the reason of a refusal for one kind of request. */
export type Meaning = (reason: Reason, order: OrderDocument | undefined) => ShopReason | undefined;

const reasonOf = (error: Fault, order: OrderDocument | undefined, meaning: Meaning): ShopReason | undefined =>
  error instanceof RefusedByRule ? (meaning(error.reason, order) ?? byRule[error.reason]) : byCode[error.code];

/**
 * Runs a visitor's request and returns a refusal as data. `isDone` says whether the order already has the effect of
 * this request: then two attempts met, and the slower one failed harmlessly. @throws Fault for every error that is
 * not a refusal
 */
export const outcomeOf = async (
  context: Pick<OrdersContext, 'orders'>,
  { institution, orderId }: Target,
  act: () => Promise<OrderDocument>,
  {
    isDone = () => false,
    meaning = () => undefined,
  }: { readonly isDone?: (order: OrderDocument) => boolean; readonly meaning?: Meaning } = {},
): Promise<Outcome> => {
  try {
    return { order: await act() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const found = await context.orders.of(institution).get(orderId);
    const order = found?.state === 'draft' ? undefined : found;
    if (order && isDone(order) && (error.code === 'conflict' || error.code === 'service_unavailable')) return { order };
    const reason = reasonOf(error, order, meaning);
    if (!reason) throw error;
    return { order, refusal: { reason, details: error.details } };
  }
};
