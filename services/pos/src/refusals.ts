import { type FaultHeaders, type PosCode, PosFault } from '@boxoffice/envelope';
import type { Order, Outcome, Reason } from './clients/orders.ts';

const codes: Readonly<Record<Reason, PosCode>> = {
  places_unavailable: 'cart_places_unavailable',
  not_on_sale: 'cart_not_on_sale',
  too_many_places: 'cart_too_many_places',
  hold_limit: 'cart_hold_limit',
  tariff_not_sold_here: 'invalid_reference',
  invalid_reference: 'invalid_reference',
  invalid_items: 'validation_error',
  tariff_not_accessible: 'tariff_not_accessible',
  account_required: 'payment_method_not_accessible',
  cart_gone: 'cart_empty',
  cart_expired: 'cart_expired',
  cart_empty: 'cart_empty',
  payment_declined: 'payment_declined',
  places_gone: 'cart_expired',
  unknown_line: 'not_found',
  not_cancellable: 'order_not_cancellable',
  busy: 'order_busy',
};

/** What a wish led to. @throws {PosFault} for a refusal, with the code that it has here */
export const doneOr = ({ outcome, reason, details, order }: Outcome): Order => {
  if (outcome === 'done' && order) return order;
  const code = codes[reason ?? 'cart_gone'];
  // An answer that says when to come again is not remembered under the idempotency key.
  const headers: FaultHeaders = reason === 'busy' ? { 'Retry-After': '1' } : {};
  throw new PosFault(code, details ?? 'This cannot be done as things are.', { headers });
};
