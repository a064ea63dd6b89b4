import { type FaultHeaders, type PosCode, PosFault } from '@boxoffice/envelope';
import type { Order, Outcome, Reason } from '../clients/orders.ts';

/** The code that each refusal of orders has here, and what a visitor may be shown: never the words of another service. */
const refusals: Readonly<Record<Reason, readonly [PosCode, string]>> = {
  places_unavailable: [
    'cart_places_unavailable',
    'Not enough of the wanted places are free. The shopping cart is as it was.',
  ],
  not_on_sale: ['cart_not_on_sale', 'The performance is not on sale at the moment.'],
  too_many_places: ['cart_too_many_places', 'The shopping cart would have more places than can be bought at once.'],
  hold_limit: [
    'cart_hold_limit',
    'Too many places are held from here without being bought. Try again in some minutes.',
  ],
  tariff_not_sold_here: ['invalid_reference', 'The tariff is not sold here for these places.'],
  invalid_reference: [
    'invalid_reference',
    'The performance, seat category, tariff, place or contact is not known, or they do not go together.',
  ],
  invalid_items: ['validation_error', '$.quantity must be the number of $.placeIds.'],
  tariff_not_accessible: ['tariff_not_accessible', 'The contact does not have what the tariff is for.'],
  account_required: ['payment_method_not_accessible', 'Only contacts with an account can buy on account.'],
  cart_gone: ['cart_empty', 'There is nothing in the shopping cart.'],
  cart_expired: [
    'cart_expired',
    'The places of the shopping cart are no longer held. Please choose your places again.',
  ],
  cart_empty: ['cart_empty', 'There is nothing in the shopping cart.'],
  payment_declined: ['payment_declined', 'The payment was declined. The shopping cart is as it was.'],
  places_gone: [
    'cart_expired',
    'Places of the shopping cart are gone, so it was not bought. Please choose your places again.',
  ],
  unknown_line: ['not_found', 'There is no such resource.'],
  not_cancellable: ['order_not_cancellable', 'The order cannot be cancelled any more.'],
  busy: ['order_busy', 'Another request is changing the same shopping cart or order. Try again in a second.'],
};

/** What a wish led to. @throws {PosFault} for a refusal, with the code and the words that it has here */
export const doneOr = ({ outcome, reason, order }: Outcome): Order => {
  if (outcome === 'done' && order) return order;
  const [code, message] = refusals[reason ?? 'cart_gone'];
  // An answer that says when to come again is not remembered under the idempotency key.
  const headers: FaultHeaders = reason === 'busy' ? { 'Retry-After': '1' } : {};
  throw new PosFault(code, message, { headers });
};
