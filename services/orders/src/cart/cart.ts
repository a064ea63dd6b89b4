import { Fault } from '@boxoffice/envelope';
import { UniqueViolation } from '@boxoffice/store';
import type { Static } from 'typebox';
import { createNotFoundFault, createRefusalFault, isUnavailable, RefusedOrder } from '../api/faults.ts';
import type { HeldLine } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { cancelByShopper, changeLine, isCart, type LineChange } from '../domain/cart.ts';
import { refuse } from '../domain/decisions.ts';
import type { State } from '../domain/order/order.ts';
import { isHidden, isPastDue } from '../domain/order/state.ts';
import { isComposed, listStock, toBuyer } from '../domain/price.ts';
import { deriveId } from '../ids.ts';
import { type CancelRule, cancelOrder, cancelUnlessEnded } from '../orders/actions.ts';
import { permitTariffs } from '../orders/buyer.ts';
import { holdAndInsert } from '../orders/create.ts';
import { addOrderLines } from '../orders/lines.ts';
import { composeLine, runWithPrices } from '../orders/prices.ts';
import { runCommand } from '../saga/command.ts';
import { deriveAddressHolder, deriveLoginHolder } from '../saga/hold-limit.ts';
import { expireNow, findAny, findOrder } from '../saga/sell.ts';
import { type Rule, type Target, toTarget } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';
import type { Addition, PerformanceOrders } from './schemas.ts';

/** Who fills a cart, and where. */
export type Visitor = Target & Pick<Static<typeof Addition>, 'pointOfSale' | 'address' | 'login'>;

/** The maker of the carts of a login, or of an address without one. */
export function toCartMaker({ institution, pointOfSale, address, login }: Visitor) {
  const client =
    login === undefined ? deriveAddressHolder(institution, address) : deriveLoginHolder(institution, login);
  return { institution, client, createdBy: { pointOfSale: pointOfSale.toLowerCase() } };
}

/** `request`: its id, a repeat adds nothing. */
type CartAddition = Visitor & Pick<Static<typeof Addition>, 'items'> & { readonly request: string };

/** All places, or none. @throws Fault as for an order's lines, and for each refusal of the rules */
export async function addToCart(context: OrdersContext, addition: CartAddition): Promise<OrderDocument> {
  const { institution, orderId, request, pointOfSale, login, items } = addition;
  const maker = toCartMaker(addition);
  const permit = (lines: readonly Pick<HeldLine, 'criterion' | 'item'>[]) =>
    permitItems(context, institution, items, lines);
  const pricedFor = items.findLast(({ contactNumber }) => contactNumber !== undefined)?.contactNumber;
  const visitor = {
    ...(login !== undefined && { client: maker.client }),
    ...(pricedFor !== undefined && { pricedFor }),
  };
  const add = () =>
    addOrderLines(context, { institution, orderId, request, appliesTo: 'carts' }, items, { permit, visitor });
  if (await context.orders.of(institution).get(orderId)) return add();
  const creation = { id: orderId, request, cart: true, permit, pricedFor };
  try {
    return await holdAndInsert(context, maker, { pointOfSale, items }, creation);
  } catch (error) {
    // Another request has created the cart; what this one holds is found by its addition.
    if (error instanceof UniqueViolation) return add();
    throw error;
  }
}

/** For several items, each with its own contact. */
const permitItems = async (
  context: Pick<OrdersContext, 'contacts'>,
  institution: string,
  items: readonly { readonly contactNumber?: string }[],
  lines: readonly Pick<HeldLine, 'criterion' | 'item'>[],
): Promise<void> => {
  for (const [index, { contactNumber }] of items.entries()) {
    const own = lines.filter(({ item }) => item === index);
    await permitTariffs(context, institution, contactNumber, own).catch((error: unknown) => {
      if (!(error instanceof RefusedOrder)) throw error;
      throw createRefusalFault(error.reason, `$.items[${index}]: ${error.details}`);
    });
  }
};

/** Absent members stay. @throws Fault `not_found`, a refusal of the catalog or of the rules */
export async function changeCartLine(
  context: OrdersContext,
  target: Target,
  { lineId, request }: { readonly lineId: string; readonly request: string },
  {
    tariffId,
    contactNumber,
    beneficiary,
  }: { tariffId?: string; contactNumber?: string; beneficiary: NonNullable<LineChange['beneficiary']> },
): Promise<OrderDocument> {
  const found = await findAny(context, target);
  const line = found.lines.find(({ id }) => id === lineId);
  const isOpen = isCart(found) && found.state === 'open';
  const [tariff] =
    line && isOpen && tariffId !== undefined
      ? await context.stock.quotes(
          target.institution,
          [{ performanceId: line.performanceId, seatCategoryId: line.seatCategoryId, tariffId }],
          found.pointOfSale,
        )
      : [];
  const priced = tariff ?? (contactNumber === undefined ? undefined : line);
  if (isOpen && priced) await permitTariffs(context, target.institution, contactNumber, [priced]);
  const change = {
    beneficiary,
    ...(contactNumber !== undefined && { pricedFor: contactNumber }),
    ...(tariff ? { tariff: { ...tariff, ...composeLine(tariff, tariff.book, toBuyer(found)) } } : {}),
  };
  const command = { ...target, request, appliesTo: 'carts' } as const;
  const rule =
    (price?: (order: OrderDocument) => OrderDocument): Rule =>
    (current, now) =>
      changeLine(current, lineId, change, now, price);
  const isOtherPrice = tariff !== undefined || (contactNumber !== undefined && contactNumber !== found.pricedFor);
  const isPriced = isOtherPrice && (isComposed(found) || tariff?.book != null);
  const { order } = isPriced ? await runWithPrices(context, command, rule) : await runCommand(context, command, rule());
  return order;
}

/** Durably; idempotent. @throws Fault `not_found`, or a refusal if the cart was bought */
export async function abandonCart(context: OrdersContext, target: Target): Promise<OrderDocument> {
  const found = await findAny(context, target);
  if (!isCart(found)) throw createRefusalFault('cart_gone');
  const placeIds = listStock(found.lines);
  const order = await cancelUnlessEnded(context, { ...target, appliesTo: 'carts' }, null);
  if (order.state !== 'cancelled' || placeIds.length === 0) return order;
  try {
    await context.stock.release(target.institution, target.orderId, { placeIds, asOf: order.version });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
  return order;
}

/** Durably; a repeat answers the same. @throws Fault `not_found` (also for carts), or a refusal of the rules */
export function cancelForShopper(
  context: OrdersContext,
  target: Target,
  requestId: string,
  { reason, until }: { readonly reason: string | null; readonly until?: number | undefined },
): Promise<OrderDocument> {
  const request = deriveId('req', 'cancellation', target.orderId, requestId);
  const rule: CancelRule = (order, how, now) => cancelByShopper(order, { ...how, until }, now);
  return cancelOrder(context, { ...target, request }, { reason, override: false, rule });
}

/**
 * Never after `notAfter` (epoch milliseconds): by then the caller has reported a failure, and a repeated checkout may
 * have succeeded. `cancelled` is true only once that is durable. @throws Fault `service_unavailable`
 */
export async function cancelAfterFault(
  context: OrdersContext,
  target: Target,
  notAfter: number,
): Promise<{ readonly cancelled: boolean; readonly state: State | null }> {
  const rule: CancelRule = (order, how, now) =>
    now > notAfter
      ? refuse('wrong_state', 'It is too late to cancel what the fault left.')
      : cancel(order, { ...how, givesBack: true }, now);
  const how = { reason: 'an unforeseen error at the checkout', override: false, rule };
  try {
    const { state } = await cancelOrder(context, { ...target, appliesTo: 'both' }, how);
    return { cancelled: state === 'cancelled', state };
  } catch (error) {
    const isOver = error instanceof Fault && error.code === 'not_found';
    if (!isOver && !(error instanceof RefusedOrder && error.http === 412)) throw error;
    const state = (await context.orders.of(target.institution).get(target.orderId))?.state ?? null;
    return { cancelled: state === 'cancelled', state };
  }
}

/** By start of the first performance, then by id, without carts; reads all orders of the contact, which are few. */
export async function listShopOrders(
  context: OrdersContext,
  institution: string,
  {
    contactNumber,
    ids,
    offset,
    limit,
  }: { contactNumber?: string | undefined; ids: readonly string[]; offset: number; limit: number },
): Promise<{ readonly items: readonly OrderDocument[]; readonly total: number }> {
  const orders = context.orders.of(institution);
  const own = contactNumber === undefined ? [] : await orders.find({ where: { contactNumber, listedAt: { gt: 0 } } });
  const others = ids.filter((id) => !own.some((order) => order.id === id));
  const named = others.length === 0 ? [] : await orders.find({ where: { id: { in: others } } });
  const found = [...own, ...named.filter((order) => !isHidden(order))];
  const page = found.toSorted(compareByStart).slice(offset, offset + limit);
  const now = context.now();
  const items = await Promise.all(
    page.map((order) => (isPastDue(order, now) ? expireNow(context, toTarget(order)) : order)),
  );
  return { items, total: found.length };
}

const compareByStart = (a: OrderDocument, b: OrderDocument): number =>
  getFirstStart(a) - getFirstStart(b) || (a.id < b.id ? -1 : Number(a.id > b.id));

const getFirstStart = ({ lines }: OrderDocument): number =>
  Math.min(...lines.map(({ startDate }) => Date.parse(startDate)), Number.MAX_SAFE_INTEGER);

/** As people write the number. @throws Fault `not_found`, also for a cart */
export async function findByNumber(
  context: OrdersContext,
  institution: string,
  number: string,
): Promise<OrderDocument> {
  const where = { shortNumber: number.toLowerCase() };
  const [found] = await context.orders.of(institution).find({ where, index: 'number', limit: 1 });
  if (!found) throw createNotFoundFault();
  return findOrder(context, { institution, orderId: found.id });
}

const PAGE = 200;

/** Those first whose first performance it is. A page may be empty although others follow; an order may be on two. */
export async function listPerformanceOrders(
  { orders: handle, links: linkHandle }: Pick<OrdersContext, 'orders' | 'links'>,
  institution: string,
  performanceId: string,
  after = 'first',
): Promise<Static<typeof PerformanceOrders>> {
  const [orders, links] = [handle.of(institution), linkHandle.of(institution)];
  const [source, last] = after.split(' ');
  const page = { where: { performanceId }, limit: PAGE, ...(last ? { after: { value: last, id: last } } : {}) };
  const answer = (
    found: readonly OrderDocument[],
    read: readonly { readonly id: string }[],
    following: string | null,
  ) => ({
    orders: found.flatMap(selectConfirmed(performanceId)),
    next: read.length < PAGE ? following : `${source} ${read.at(-1)?.id}`,
  });
  if (source === 'first') {
    const found = await orders.find(page);
    return answer(found, found, 'further');
  }
  const linked = await links.find(page);
  const ids = linked.map(({ orderId }) => orderId);
  return answer(ids.length === 0 ? [] : await orders.find({ where: { id: { in: ids } } }), linked, null);
}

const selectConfirmed =
  (performanceId: string) =>
  ({ id, state, createdBy, contactNumber, performanceIds }: OrderDocument) =>
    state === 'confirmed' && createdBy && 'pointOfSale' in createdBy && performanceIds.includes(performanceId)
      ? [{ id, pointOfSale: createdBy.pointOfSale, contactNumber }]
      : [];
