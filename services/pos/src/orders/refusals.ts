import { type FaultHeaders, type PosCode, PosFault } from '@boxoffice/envelope';
import type { Order, Outcome, Reason } from '../clients/orders.ts';

type Row = readonly [PosCode, string];

const emptyCart: Row = ['cart_empty', 'There is nothing in the shopping cart.'];
const notFound: Row = ['not_found', 'There is no such resource.'];
const notChangeable: Row = [
  'order_not_changeable',
  'The order is not confirmed, an item of it can no longer be given back or exchanged, or the change has ended.',
];
const noNewPlaces: Row = ['order_places_unavailable', 'Not enough of the new places are free. Nothing was changed.'];
const notPayable: Row = ['order_not_payable', 'The order can no longer be paid.'];

/** Details of other services are never passed on. */
const refusals: Readonly<Record<Reason, Row>> = {
  places_unavailable: [
    'cart_places_unavailable',
    'Not enough of the requested places are free. The shopping cart is unchanged.',
  ],
  not_on_sale: ['cart_not_on_sale', 'The performance is not on sale now.'],
  too_many_places: [
    'cart_too_many_places',
    'The shopping cart would exceed the maximum number of places of one order.',
  ],
  hold_limit: [
    'cart_hold_limit',
    'Too many unpaid places are held by this login, or without one from this network address. Buy or remove them, or ' +
      'try again in some minutes.',
  ],
  tariff_not_sold_here: ['invalid_reference', 'The point of sale does not sell the tariff for these places.'],
  invalid_reference: [
    'invalid_reference',
    'The performance, seat category, tariff, place or contact is unknown, or they do not belong together.',
  ],
  invalid_items: ['validation_error', '$.quantity must be the number of $.placeIds.'],
  tariff_not_accessible: ['tariff_not_accessible', 'The contact does not meet the criterion of the tariff.'],
  tariff_locked: [
    'tariff_not_accessible',
    'A tariff is sold only with a discount that unlocks it, by its code or not.',
  ],
  dearer: [
    'tariff_not_accessible',
    'The buyer does not have the discounts of the shopping cart, which would cost more. It is unchanged.',
  ],
  unknown_code: ['discount_unknown_code', 'There is no such code.'],
  code_used_up: ['discount_limit_reached', 'The code has no use that is free.'],
  code_not_applicable: ['discount_not_applicable', 'The code is not valid now.'],
  too_many_codes: ['validation_error', 'A shopping cart has at most 10 codes: remove one first.'],
  unknown_discount: notFound,
  account_required: ['payment_method_not_accessible', 'Only contacts with an account can buy on account.'],
  cart_gone: emptyCart,
  cart_expired: [
    'cart_expired',
    'The places of the shopping cart are no longer held. Please choose your places again.',
  ],
  empty: emptyCart,
  payment_declined: ['payment_declined', 'The payment was declined. The shopping cart is unchanged.'],
  places_gone: [
    'cart_expired',
    'Places of the shopping cart are no longer available, so nothing was bought. Please choose your places again.',
  ],
  unknown_line: notFound,
  not_cancellable: ['order_not_cancellable', 'The order can no longer be cancelled.'],
  not_payable: notPayable,
  not_changeable: notChangeable,
  change_in_progress: ['change_in_progress', 'A change of the order waits for its payment: pay it, or end it.'],
  difference_changed: [
    'change_difference_changed',
    'The change costs another amount now. Nothing was changed: ask for a quote again.',
  ],
  unknown_change: notFound,
  unpaid: ['bad_request', '$.paymentMethod is required: something is due.'],
  amount_differs: ['order_busy', 'Another amount is due now. Try again in a second.'],
  busy: ['order_busy', 'Another request is changing the same shopping cart or order. Try again in a second.'],
};

/** Texts for a request which names an item of the cart, or an order, instead of the cart. */
const refusalsOf = {
  cart: {},
  items: {},
  item: { cart_gone: notFound },
  order: { cart_gone: ['order_not_cancellable', 'The order has expired or is already cancelled.'] },
  change: {
    cart_gone: notChangeable,
    invalid_reference: [
      'invalid_reference',
      'The order has no such item (any more), or what is wanted for it is unknown or does not belong together.',
    ],
    places_unavailable: noNewPlaces,
    places_gone: noNewPlaces,
    not_on_sale: ['order_not_on_sale', 'The performance is not on sale now. Nothing was changed.'],
    payment_declined: ['payment_declined', 'The payment was declined. Nothing was changed.'],
  },
  payment: { cart_gone: notPayable, cart_expired: notPayable, places_gone: notPayable },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<Reason, Row>>>>>;

type Named = keyof typeof refusalsOf;

/** Code and message. */
export function describeRefusal(reason: Reason, named: Named = 'cart'): Row {
  const table: Readonly<Record<Reason, Row>> = { ...refusals, ...refusalsOf[named] };
  return table[reason];
}

/** `named`: what the request names, `items` several items for the cart. @throws {PosFault} for a refusal */
export function requireDone({ outcome, reason, order, details }: Outcome, named: Named = 'cart'): Order {
  if (outcome === 'done' && order) return order;
  throw createRefusalFault(reason ?? 'cart_gone', named, named === 'items' ? itemIn(details) : undefined);
}

export function createRefusalFault(reason: Reason, named?: Named, item?: string): PosFault {
  const [code, text] = describeRefusal(reason, named);
  // An answer with Retry-After is not stored as that of the key, so a repeat is executed.
  const headers: FaultHeaders = code === 'order_busy' ? { 'Retry-After': '1' } : {};
  return new PosFault(code, item === undefined ? text : `${item}: ${text}`, { headers });
}

/** The path is that of the request's body; undefined if the refusal is about all items. */
const itemIn = (details: string | null): string | undefined => /\$\.items\[\d+\]/.exec(details ?? '')?.[0];
