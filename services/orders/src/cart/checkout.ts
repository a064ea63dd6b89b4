import type { Fault } from '@boxoffice/envelope';
import type { Static } from 'typebox';
import { createRefusalFault, RefusedOrder } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { checkOut } from '../domain/cart.ts';
import { findPendingChange } from '../domain/changes/change.ts';
import { computeDue } from '../domain/order/money.ts';
import { addAnotherPage, type ProviderPage } from '../domain/providers.ts';
import { deriveGuestNumber, deriveId } from '../ids.ts';
import { cancelUnlessEnded, confirmBySale, holdUntil, sellAll } from '../orders/actions.ts';
import { holdForGrace } from '../payments/payments.ts';
import { holdNewUntil } from '../saga/change.ts';
import { runStockFirst } from '../saga/command.ts';
import { writeGuestOrLater } from '../saga/follow-ups.ts';
import { sell } from '../saga/sell.ts';
import type { Target } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';
import { applyBuyerPrices } from './prices.ts';
import { type Checkout, toProviderPage } from './schemas.ts';

type CheckoutRequest = Static<typeof Checkout>;

export function deriveCheckoutRequestId(orderId: string, requestId: string): string {
  return deriveId('req', 'checkout', orderId, requestId);
}

/**
 * At the prices of its buyer. A captured payment is written first, then the order is sold; otherwise places are sold, or
 * held longer, first. A repeat, also after a crash, returns the same order. @throws Fault for each refusal of the rules,
 * `semantically_invalid` (unknown contact), `service_unavailable`: a paid order is confirmed later unless it is
 * cancelled
 */
export async function checkOutCart(
  context: OrdersContext,
  target: Target,
  requested: CheckoutRequest,
): Promise<OrderDocument> {
  const buyer = await readBuyer(context, target, requested);
  const buy = () => buyCart(context, target, requested, buyer);
  return buy().catch(async (error: unknown) => {
    if (!(error instanceof RefusedOrder) || error.reason !== 'other_prices') throw error;
    await applyBuyerPrices(context, target, requested.contactNumber ?? null);
    return buy();
  });
}

const buyCart = async (
  context: OrdersContext,
  target: Target,
  requested: CheckoutRequest,
  { criteria, ...buyer }: Awaited<ReturnType<typeof readBuyer>>,
): Promise<OrderDocument> => {
  const { requestId, paymentMethod: method, paymentToken: token = 'ok', termsAccepted } = requested;
  const command = {
    ...target,
    request: deriveCheckoutRequestId(target.orderId, requestId),
    appliesTo: 'both',
  } as const;
  const paymentId = deriveId('pay', target.orderId, requestId);
  const page = requested.page && toProviderPage(requested.page);
  const checkingOut = (graceMs: number) => (current: OrderDocument, now: number) => {
    if (!criteria) throw createRefusalFault('invalid_reference', `There is no contact ${requested.contactNumber}.`);
    const contactNumber = requested.contactNumber ?? chooseGuestContact(current, requestId);
    const how = { method, token, paymentId, graceMs, page, termsAccepted };
    const input = { ...buyer, contactNumber, requestId, criteria, ...how };
    return checkOut(current, input, now);
  };
  try {
    const { order: bought } = await runStockFirst(context, command, {
      rule: checkingOut(context.graceMs),
      async effect(order, next) {
        if (page) return holdForPage(context, order, next);
        const isPaidLater = next.saleDue != null || next.state === 'payment_pending';
        return isPaidLater
          ? { graceMs: await holdForGrace(context, order, next) }
          : { graceMs: context.graceMs, sale: await sellAll(context, order) };
      },
      write:
        ({ sale, graceMs }) =>
        (current, now) =>
          confirmBySale(checkingOut(graceMs)(current, now), sale, now),
      sold: ({ sale }) => sale?.soldPlaceIds ?? [],
    });
    if (isStranded(bought)) throw createPlacesGoneFault();
    const order = await sell(context, bought);
    await writeGuestOrLater(context, order);
    return order;
  } catch (error) {
    if (!(error instanceof RefusedOrder) || error.reason !== 'places_gone') throw error;
    // It cannot be bought later; recorded money stays.
    await cancelUnlessEnded(context, { ...target, appliesTo: 'both' }, 'its places were gone at the checkout');
    throw createPlacesGoneFault();
  }
};

/** Until the end of the page's grace period, or nothing can be paid there. */
const holdForPage = async (context: OrdersContext, order: OrderDocument, next: OrderDocument) => {
  const change = findPendingChange(next);
  if (change) await holdNewUntil(context, order, change, change.deadline ?? 0);
  else await holdUntil(context, order, next.expiresAt ?? 0);
  return { graceMs: context.graceMs };
};

/** @throws Fault for each refusal of the rules, places that are gone, `service_unavailable`: nothing has changed */
export async function openAnotherPage(
  context: OrdersContext,
  target: Target,
  page: ProviderPage,
): Promise<OrderDocument> {
  const rule = (order: OrderDocument, now: number) => addAnotherPage(order, page, now);
  const effect = (order: OrderDocument, next: OrderDocument) => holdForPage(context, order, next);
  return (await runStockFirst(context, target, { rule, effect })).order;
}

const readBuyer = async (
  context: OrdersContext,
  { institution }: Target,
  { contactNumber, guest }: CheckoutRequest,
) => {
  if (contactNumber === undefined) return { criteria: [], guest };
  return { contactNumber, criteria: await context.contacts.criteria(institution, contactNumber) };
};

/** That of the previous guest if the order still names it and it was not erased; otherwise a new one. */
const chooseGuestContact = (order: OrderDocument, requestId: string): string => {
  const { id, contactNumber, guestContact, erasedContact } = order;
  const isReusable = contactNumber !== null && contactNumber === guestContact && contactNumber !== erasedContact;
  return isReusable ? contactNumber : deriveGuestNumber(id, requestId);
};

/** An earlier attempt recorded the payment, found places gone and died before cancelling. */
const isStranded = (order: OrderDocument): boolean =>
  order.state === 'open' && order.saleDue == null && order.payments.length > 0 && computeDue(order) === 0;

const createPlacesGoneFault = (): Fault =>
  createRefusalFault('places_gone', 'Places are gone, so they could not be bought.');
