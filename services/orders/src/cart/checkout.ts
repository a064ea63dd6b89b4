import type { Fault } from '@boxoffice/envelope';
import type { PaymentMethod } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { beginCheckout, ON_ACCOUNT, type PaymentToken } from '../domain/checkout.ts';
import { accept } from '../domain/order/decision.ts';
import { handled } from '../domain/order/handled.ts';
import { due } from '../domain/order/money.ts';
import type { Guest } from '../domain/order/order.ts';
import { RefusedOrder, refusal } from '../faults.ts';
import { derivedId, guestNumber } from '../ids.ts';
import { executeStep } from '../payments/payments.ts';
import { type Command, runCommand } from '../steps/command.ts';
import { writeGuestOrLater } from '../steps/guests.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/** A visitor's checkout of a cart. */
export interface CheckoutRequest {
  /** The request id: a repeat returns the same order. */
  readonly requestId: string;
  /** The contact that buys. */
  readonly contactNumber?: string;
  /** A buyer without a contact: the contact is created once the checkout is accepted. */
  readonly guest?: Omit<Guest, 'since'>;
  readonly paymentMethod: PaymentMethod;
  readonly paymentToken?: PaymentToken;
}

/** The request id of a checkout, by which the order lists it as handled. */
export const checkoutName = (orderId: string, requestId: string): string =>
  derivedId('req', 'checkout', orderId, requestId);

const checkoutCommand = ({ institution, orderId }: Target, requestId: string): Command => ({
  institution,
  orderId,
  ifMatch: () => undefined,
  request: checkoutName(orderId, requestId),
  appliesTo: 'both',
});

/** Cancels an order whose places were gone at the checkout, so that it cannot be bought later; recorded money stays. */
const cancelUnsold = async (context: OrdersContext, target: Target): Promise<void> => {
  const how = { reason: 'its places were gone at the checkout', override: false, controlled: null };
  const { institution, orderId } = target;
  const both = { institution, orderId, ifMatch: () => undefined, appliesTo: 'both' } as const;
  await runCommand(context, both, (order, _request, now) =>
    order.state === 'expired' || order.state === 'cancelled' ? accept(order) : cancel(order, how, now),
  );
};

const placesGone = (): Fault => refusal('places_gone', 'Places of the cart are gone, so it could not be bought.');

/**
 * Whether an earlier attempt found places gone and died before cancelling: nothing is left that could confirm the
 * order.
 */
const isStranded = (order: OrderDocument): boolean =>
  order.state === 'open' &&
  order.pendingStep === null &&
  (due(order) === 0 || order.checkout?.paymentMethod === (ON_ACCOUNT satisfies PaymentMethod));

/**
 * The contact number of a guest: that of the previous guest if the order still names it and it was not erased;
 * otherwise a new one.
 */
const contactOfGuest = (order: OrderDocument, requestId: string): string => {
  const { id, contactNumber, guestContact, erasedContact } = order;
  const isReusable = contactNumber !== null && contactNumber === guestContact && contactNumber !== erasedContact;
  return isReusable ? contactNumber : guestNumber(id, requestId);
};

/** The buyer and the buyer's criteria; a guest has no contact yet, and no criteria. */
const buyerOf = async (context: OrdersContext, { institution }: Target, { contactNumber, guest }: CheckoutRequest) => {
  if (contactNumber === undefined) return { criteria: [], guest };
  return { contactNumber, criteria: await context.contacts.criteria(institution, contactNumber) };
};

/**
 * Makes an order of a cart and begins the step that its payment leads to, in one write. A repeat of the request, also
 * after a crash, resumes that step and returns the same order. A guest's contact is written afterwards, by the sweep
 * if not here. @throws Fault for each refusal of the rules, `semantically_invalid` (unknown contact),
 * `service_unavailable`: recovery confirms the order unless it is cancelled
 */
export const checkoutCart = async (
  context: OrdersContext,
  target: Target,
  requested: CheckoutRequest,
): Promise<OrderDocument> => {
  const { requestId, paymentMethod: method, paymentToken: token = 'ok' } = requested;
  const { criteria, ...buyer } = await buyerOf(context, target, requested);
  const command = checkoutCommand(target, requestId);
  const paymentId = derivedId('pay', target.orderId, requestId);
  const { graceMs } = context;
  const result = await runCommand(context, command, (current, request, now) => {
    if (!criteria) throw refusal('invalid_reference', `There is no contact ${requested.contactNumber}.`);
    const contactNumber = requested.contactNumber ?? contactOfGuest(current, requestId);
    const input = { ...buyer, contactNumber, requestId, request, criteria, method, token, paymentId, graceMs };
    return beginCheckout(handled(current, request), input, now);
  });
  try {
    const order = await executeStep(context, result, undefined);
    if (isStranded(order)) throw placesGone();
    await writeGuestOrLater(context, order);
    return order;
  } catch (error) {
    if (!(error instanceof RefusedOrder) || error.reason !== 'places_gone') throw error;
    await cancelUnsold(context, target);
    throw placesGone();
  }
};
