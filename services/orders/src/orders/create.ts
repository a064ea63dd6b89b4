import { Fault } from '@boxoffice/envelope';
import { requireScope } from '@boxoffice/http';
import { type Caller, toPrincipal } from '@boxoffice/identity';
import { IdempotencyKeyTaken, type IdempotencyRecord, UniqueViolation } from '@boxoffice/store';
import type { Static } from 'typebox';
import { createRefusalFault, toFault } from '../api/faults.ts';
import type { NewOrder } from '../api/schemas.ts';
import type { Book, Held, HeldLine } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { checkTariffAccess } from '../domain/buyer.ts';
import { type Accepted, accept, isRefused } from '../domain/decisions.ts';
import { open } from '../domain/lines.ts';
import { beginOneCallSale, type OneCallSale } from '../domain/one-call.ts';
import type { Creator, Order } from '../domain/order/order.ts';
import { markHandled } from '../domain/order/state.ts';
import { type PricedOrder, toBuyer } from '../domain/price.ts';
import { checkPrice } from '../domain/price-checks.ts';
import { createRequestId, deriveId, deriveOrderIdFromKey, deriveOrderNumber, deriveSoldOrderId } from '../ids.ts';
import type { Holder } from '../saga/hold-limit.ts';
import { releaseRefused } from '../saga/release.ts';
import { sell } from '../saga/sell.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';
import { cancelIfOver } from './actions.ts';
import { maySellToAnybody, readNamedContact } from './buyer.ts';
import {
  createHeldLines,
  createInvalidReferenceFault,
  findQuantityFaults,
  requirePlaceCount,
  toStockItems,
} from './items.ts';
import {
  applyOrderPrice,
  buildDraftLines,
  type ClaimedPricing,
  claimUses,
  listClaimedUses,
  readOrderPricing,
  readPricing,
  requireSellable,
  toUnknownCodes,
} from './prices.ts';

export type OrderRequest = Static<typeof NewOrder>;

export function isSoldAtOnce({ payment, confirmation }: OrderRequest): boolean {
  return payment !== undefined || confirmation !== undefined;
}

/**
 * Requires what the members of a one-call sale need. @throws Fault `validation_error` with both of them, `forbidden` for
 * a reference without its scope
 */
export function requireSaleInput({ scopes }: Pick<Caller, 'scopes'>, { payment, confirmation }: OrderRequest): void {
  if (payment && confirmation)
    throw new Fault('validation_error', 'An order has either $.payment or $.confirmation, not both.');
  if (payment?.reference !== undefined && !scopes.includes('orders.sensitive:write'))
    requireScope(scopes, 'payments:write', '$.payment.reference');
}

export function toCreator({ client, user }: Pick<Caller, 'client' | 'user'>): Creator | undefined {
  return client === null ? undefined : { clientId: client, ...(user && { userId: user.id }) };
}

/** Places are counted together: the client's, or its user's. A client with bounds has one limit with all its users. */
export interface Maker extends Holder {
  readonly createdBy?: Creator | undefined;
  /** Tariffs with a criterion; absent: only to contacts that meet it. */
  readonly sellsToAnybody?: boolean;
}

export function toMaker(caller: Caller): Maker {
  return {
    institution: caller.institution,
    client: caller.bounds ? caller.client : toPrincipal(caller),
    createdBy: toCreator(caller),
    sellsToAnybody: maySellToAnybody(caller.scopes),
  };
}

/** Of the client's codes, whoever is signed in at it. */
export function toGuesser({ institution, client }: Pick<Caller, 'institution' | 'client'>) {
  return { institution, who: ['client', client ?? ''] };
}

interface Creation extends Pick<Order, 'pricedFor'> {
  readonly id: string;
  /** Of the hold: a repeat finds the places of an earlier attempt. */
  readonly request: string;
  readonly idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined;
  /** Not listed, and its request is recorded for repeats. */
  readonly cart?: boolean;
  readonly permit?: (lines: readonly Pick<HeldLine, 'criterion' | 'item'>[]) => Promise<void>;
  /** Of the order's contact, null: it has none; absent: read once a discount asks for them. */
  readonly criteria?: readonly string[] | null;
  /** One call sells it: it is inserted unseen, with its sale due, and does not count as held. */
  readonly sale?: OneCallSale;
}

const FIRST_VERSION = 1;

/** Milliseconds, for a sale that follows at once: also after an outage of the catalog. */
const HOLD_FOR_SALE_MS = 300_000;

/**
 * After a refusal nothing is held; if the process dies or uses of discounts have no answer, places stay held until
 * their hold ends, or the request is repeated: a late release could free what a repeat has. @throws Fault for each
 * refusal of the catalog and the rules, `order_hold_limit`, `service_unavailable`; UniqueViolation if the id is that of
 * another order
 */
export async function holdAndInsert(
  context: OrdersContext,
  maker: Maker,
  requested: OrderRequest,
  creation: Creation,
): Promise<OrderDocument> {
  const { institution } = maker;
  const { id, request: requestId, permit, sale } = creation;
  const { pointOfSale, items } = requested;
  const codes = toUnknownCodes(requested.codes);
  const places = requirePlaceCount(items, 0);
  const end = sale ? () => undefined : await context.limit.admit(maker, places);
  try {
    const wanted = {
      ...{ requestId, items: toStockItems(items) },
      ...(pointOfSale === undefined ? {} : { pointOfSale }),
      ...(codes && { codes: codes.map(({ code }) => code) }),
    };
    // What an attempt of one call has held without an order is free once its hold ends, so that is short.
    const heldUntil = new Date(context.now() + HOLD_FOR_SALE_MS).toISOString();
    const { criteria, pricedFor } = creation;
    const price = async (order: PricedOrder, book: Book | null) =>
      criteria === undefined && book
        ? readOrderPricing(context, { ...order, institution, contactNumber: null, pricedFor }, { book })
        : readPricing(book, toBuyer(order), criteria ?? null);
    const how = { holder: id, asOf: FIRST_VERSION, ...(sale && { claimFirst: true, heldUntil }) };
    const held = await context.stock.hold(institution, { ...wanted, ...how }, async (priced, book) => {
      await permit?.(priced);
      const buyer = toBuyer({ pointOfSale: pointOfSale?.toLowerCase() ?? null, createdBy: maker.createdBy });
      const draft = { ...buyer, createdBy: maker.createdBy, codes };
      const order = { ...draft, lines: buildDraftLines(priced, items, book, buyer) };
      requireSellable(order, await price(order, book), context.now(), checkPrice);
    });
    const taken = held.lines.map(({ place }) => place.id);
    try {
      await permit?.(held.lines);
      const opened = openOrder(context, maker, { ...requested, codes }, held, creation);
      const pricing = await claimUses(context, opened.next, await price(opened.next, held.book), {
        ...{ institution, holder: id, requestId, asOf: FIRST_VERSION, heldUntil: held.heldUntil, check: checkPrice },
        ...(sale && { claimFirst: true }),
      });
      taken.push(...listClaimedUses(pricing));
      return await insertOrder(context, institution, opened, pricing, creation);
    } catch (error) {
      // What a request for a cart holds that another one has created is found by its addition.
      if (!(creation.cart && error instanceof UniqueViolation))
        await releaseRefused(
          context,
          { institution, orderId: id },
          { stock: taken, requestId, asOf: FIRST_VERSION },
          error,
        );
      throw error;
    }
  } finally {
    end();
  }
}

const openOrder = (
  context: OrdersContext,
  { client, createdBy }: Maker,
  requested: Omit<OrderRequest, 'codes'> & Pick<Order, 'codes'>,
  held: Held,
  { id, cart = false, pricedFor }: Creation,
): Accepted<Order> => {
  const { contactNumber = null, externalReference = null, ticketDelivery = held.ticketDelivery, items } = requested;
  const { codes } = requested;
  const priced = pricedFor === undefined ? {} : { pricedFor };
  const own = {
    id,
    client,
    ...(createdBy && { createdBy }),
    pointOfSale: held.pointOfSale,
    ...(codes && { codes }),
    ...priced,
  };
  const given = { ...own, contactNumber, externalReference, ticketDelivery, cart };
  const decision = open({ ...createHeldLines(context, held, items, toBuyer(own)), ...given }, context.now());
  if (isRefused(decision)) throw toFault(decision.refused);
  return decision;
};

/** A new order at the prices that it has then. @throws UniqueViolation if the id is that of another order */
export async function insertOrder(
  context: OrdersContext,
  institution: string,
  { next: opened, facts }: Accepted<Order>,
  pricing: ClaimedPricing,
  { request, cart = false, sale, idempotencyRecord }: Creation,
): Promise<OrderDocument> {
  const now = context.now();
  const priced = applyOrderPrice({ ...opened, version: FIRST_VERSION }, pricing, now);
  const { version: _, ...order } = priced;
  const made = sale ? beginOneCallSale<Order>(order, sale, now) : { next: order, facts };
  if (isRefused(made)) throw toFault(made.refused);
  const whole = cart ? accept(markHandled(made.next, request)) : made;
  return insert(context, institution, whole, idempotencyRecord);
}

/** In one write with the answer for repeats. */
const insert = async (
  context: OrdersContext,
  institution: string,
  { next: order, facts: events }: Accepted<Order>,
  idempotencyRecord: Creation['idempotencyRecord'],
): Promise<OrderDocument> => {
  const [performanceId = '', ...others] = order.performanceIds;
  await linkPerformances(context.links.of(institution), { id: order.id, performanceId }, others);
  const orders = context.orders.of(institution);
  const insertWithNumber = async (taken: number): Promise<OrderDocument> => {
    const document = { ...order, performanceId, shortNumber: deriveOrderNumber(order.id, taken) };
    return orders.insert(document, { events, idempotencyRecord }).catch((error: unknown) => {
      if (!(error instanceof UniqueViolation) || error.index !== 'number') throw error;
      return insertWithNumber(taken + 1);
    });
  };
  const written = await insertWithNumber(0);
  if (written.unseen) return written;
  context.limit.record(written, written.id, written.heldPlaces);
  await cancelIfOver(context, written);
  return written;
};

/**
 * @throws Fault for each refusal of the catalog, `order_hold_limit`, `semantically_invalid` (unknown contact, several
 * currencies), `order_tariff_not_accessible`, `service_unavailable`
 */
export async function createOrder(
  context: OrdersContext,
  maker: Maker,
  requested: OrderRequest,
  idempotencyRecord: IdempotencyRecord<OrderDocument> | undefined,
): Promise<OrderDocument> {
  const checked = await checkContact(context, maker, requested);
  const own = deriveOrderIdFromKey(idempotencyRecord, context.now()) ?? context.newId('ord');
  const make = (id: string, request: string) =>
    holdAndInsert(context, maker, requested, { id, request, idempotencyRecord, ...checked });
  try {
    return await make(own, createRequestId(idempotencyRecord));
  } catch (error) {
    // The answer about that order was erased since: the request is another one now.
    if (error instanceof UniqueViolation) return make(context.newId('ord'), createRequestId(undefined));
    throw error;
  }
}

/**
 * Checks the contact and the quantities of a new order. Returns what the contact meets, and what refuses lines with
 * tariffs that it may not have. @throws Fault `semantically_invalid`
 */
const checkContact = async (context: OrdersContext, maker: Maker, requested: OrderRequest) => {
  const { institution } = maker;
  const contact = await readNamedContact(context, institution, requested.contactNumber);
  const faults = [...contact.faults, ...findQuantityFaults(requested.items)];
  if (faults.length > 0) throw await createInvalidReferenceFault(context, institution, requested, faults);
  const permit = async (lines: readonly Pick<HeldLine, 'criterion'>[]): Promise<void> => {
    const refused = maker.sellsToAnybody ? undefined : checkTariffAccess(lines, contact.criteria);
    if (refused) throw toFault(refused.refused);
  };
  return { permit, criteria: requested.contactNumber === undefined ? null : contact.criteria };
};

/**
 * Creates an order and sells it in one call: its places are sold before anybody sees it. A repeat with the key, and the
 * due work, finish what a dead process has begun. Its payment has the id that follows from the order's.
 * `isAnswerWritten`: the answer follows from the order alone, and is written with it for repeats. @throws Fault
 * as {@link createOrder} but for `order_hold_limit`; `order_total_differs`, `order_unpaid`, `forbidden` (on account,
 * unless the bounds of the client admit it); `payment_recorded` or `precondition_failed` where the places are gone
 * after all: the order is expired
 */
export async function sellNewOrder(
  context: OrdersContext,
  maker: Maker,
  { payment, confirmation, ...requested }: OrderRequest,
  idempotencyRecord: IdempotencyRecord<OrderDocument> | undefined,
  { isAnswerWritten = true } = {},
): Promise<OrderDocument> {
  const { institution } = maker;
  const make = async (id: string): Promise<OrderDocument> => {
    const onAccount = confirmation?.onAccount === true;
    if (onAccount && context.mayDo?.onAccount === false) throw createRefusalFault('on_account_excluded');
    const checked = await checkContact(context, maker, requested);
    const captured = payment && { ...payment, id: deriveId('pay', id), createdBy: maker.createdBy };
    const sale: OneCallSale = {
      fingerprint: idempotencyRecord?.fingerprint,
      ...(captured ? { payment: captured } : { confirmation: { onAccount } }),
    };
    return holdAndInsert(context, maker, requested, {
      id,
      request: createRequestId(idempotencyRecord),
      ...checked,
      sale,
    });
  };
  const makeOrFind = async (id: string): Promise<OrderDocument> =>
    make(id).catch(async (error: unknown) => {
      if (!idempotencyRecord) throw error;
      // Of a repeat: whatever refuses it, the order that its first attempt has made is the answer.
      const { made: earlier, free } = await findMadeOrder(context, institution, idempotencyRecord);
      if (earlier) return earlier;
      // What refuses it where an order of an earlier day has the id says nothing.
      if (free !== id) return makeOrFind(free);
      throw error;
    });
  const made = await makeOrFind(idempotencyRecord ? deriveSoldOrderId(idempotencyRecord, 0) : context.newId('ord'));
  const order = await sell(context, made, isAnswerWritten ? idempotencyRecord : undefined).catch((error: unknown) => {
    // Another answer was stored under the key meanwhile. The order is sold all the same, since its money is recorded.
    if (!(error instanceof IdempotencyKeyTaken)) throw error;
    return sell(context, made);
  });
  refuseExpired(order);
  return order;
}

const DAY_MS = 86_400_000;

/**
 * The order that a request with the key has made within a day; without one the first id that none has. @throws Fault
 * `idempotency_key_reused` if that was another request
 */
const findMadeOrder = async (
  context: OrdersContext,
  institution: string,
  record: IdempotencyRecord<OrderDocument>,
): Promise<
  { readonly made: OrderDocument; readonly free?: never } | { readonly made?: never; readonly free: string }
> => {
  const orders = context.orders.of(institution);
  let last: OrderDocument | undefined;
  let id = deriveSoldOrderId(record, 0);
  for (let nth = 1, known = await orders.get(id); known; nth += 1, known = await orders.get(id)) {
    last = known;
    id = deriveSoldOrderId(record, nth);
  }
  if (!last || last.createdAt <= context.now() - DAY_MS) return { free: id };
  if (last.fingerprint !== record.fingerprint)
    throw new Fault('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
  return { made: last };
};

/** Refuses a repeat whose first attempt, or the due work, has found the places gone. */
const refuseExpired = ({ id, state, payments: [payment] }: OrderDocument): void => {
  if (state !== 'expired') return;
  const details = 'Places of the order are gone, so it is expired.';
  throw toFault({
    reason: 'places_gone',
    details,
    ...(payment && { recorded: { orderId: id, paymentId: payment.id } }),
  });
};
