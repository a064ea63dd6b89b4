import { isSameCode } from '@boxoffice/prices';
import { UniqueViolation } from '@boxoffice/store';
import { toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { addCode, applyBuyer, isCart, isPricedFor, removeCodes } from '../domain/cart.ts';
import { isRefused } from '../domain/decisions.ts';
import { open } from '../domain/lines.ts';
import { createCartCodeCheck } from '../domain/price-checks.ts';
import { deriveId } from '../ids.ts';
import { insertOrder } from '../orders/create.ts';
import { claimUses, readOrderPricing, runWithPrices, toUnknownCodes } from '../orders/prices.ts';
import type { Target } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';
import { toCartMaker, type Visitor } from './cart.ts';

interface Code {
  readonly code: string;
  /** Of the point of sale. */
  readonly currency: string;
}

/**
 * Also before the first item; one that the cart has changes nothing. @throws Fault `too_many_requests`, for a code that
 * can be of no use to the cart, and for each refusal of the rules
 */
export function addCartCode(context: OrdersContext, visitor: Visitor, given: Code): Promise<OrderDocument> {
  const { institution, orderId, pointOfSale, address } = visitor;
  const { code } = given;
  const check = createCartCodeCheck(code);
  const isMade = ({ codes = [] }: OrderDocument) => codes.some((known) => isSameCode(known.code, code));
  const change = async () => {
    const command = { institution, orderId, appliesTo: 'carts', isMade } as const;
    const add = (price?: (order: OrderDocument) => OrderDocument) => (order: OrderDocument, now: number) =>
      addCode(order, code, now, price);
    return (await runWithPrices(context, command, add, { check })).order;
  };
  const guesser = { institution, who: ['address', pointOfSale.toLowerCase(), address] };
  return context.guesses.guard(guesser, [code], async () => {
    if (await context.orders.of(institution).get(orderId)) return change();
    try {
      return await openCart(context, visitor, given);
    } catch (error) {
      // Another request has created the cart.
      if (error instanceof UniqueViolation) return change();
      throw error;
    }
  });
}

/** Milliseconds that an empty cart waits for its first item: a session does not last longer. */
const WAIT_MS = 24 * 60 * 60_000;

/** Nothing is held: the first items begin the hold, and say how tickets are delivered. */
const openCart = async (context: OrdersContext, visitor: Visitor, { code, currency }: Code): Promise<OrderDocument> => {
  const { institution, orderId: id } = visitor;
  const { client, createdBy } = toCartMaker(visitor);
  const until = context.now() + WAIT_MS;
  const nothing = { contactNumber: null, externalReference: null, ticketDelivery: 'print' as const, lines: [] };
  const made = { id, client, createdBy, ...createdBy, currency, codes: toUnknownCodes([code]), until, cart: true };
  const opened = open({ ...nothing, ...made }, context.now());
  if (isRefused(opened)) throw toFault(opened.refused);
  const pricing = await readOrderPricing(context, { ...opened.next, institution });
  const claim = { institution, holder: id, requestId: id, asOf: 1, heldUntil: new Date(until).toISOString() };
  const claimed = await claimUses(context, opened.next, pricing, { ...claim, check: createCartCodeCheck(code) });
  return insertOrder(context, institution, opened, claimed, { id, request: deriveId('req', 'code', id), cart: true });
};

/** @throws Fault `not_found` without a code of the discount, and for each refusal of the rules */
export async function removeCartCodes(
  context: OrdersContext,
  target: Target,
  discountId: string,
): Promise<OrderDocument> {
  const remove = (price?: (order: OrderDocument) => OrderDocument) => (order: OrderDocument, now: number) =>
    removeCodes(order, discountId, now, price);
  return (await runWithPrices(context, { ...target, appliesTo: 'carts' }, remove)).order;
}

/**
 * The cart at the prices of who buys it (null: a guest); what is no cart any more stays as it is. @throws Fault `dearer`
 * as a refusal of the rules, the cart being as it was
 */
export async function applyBuyerPrices(
  context: OrdersContext,
  target: Target,
  contactNumber: string | null,
): Promise<OrderDocument> {
  const isMade = (order: OrderDocument) =>
    !isCart(order) || order.state !== 'open' || isPricedFor(order, contactNumber);
  const reprice = (price?: (order: OrderDocument) => OrderDocument) => (order: OrderDocument, now: number) =>
    applyBuyer(order, contactNumber, now, price);
  return (await runWithPrices(context, { ...target, appliesTo: 'both', isMade }, reprice)).order;
}
