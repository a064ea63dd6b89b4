import { Fault } from '@boxoffice/envelope';
import { createNotFoundFault, createRefusalFault, isUnavailable } from '../api/faults.ts';
import type { Held, HeldLine } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { accept } from '../domain/decisions.ts';
import { addLines, checkLinesAddable, isEmptiedCart, nameLine, removeLine, toBeneficiary } from '../domain/lines.ts';
import type { Line } from '../domain/order/order.ts';
import { isHidden } from '../domain/order/state.ts';
import { isComposed, toBuyer } from '../domain/price.ts';
import { checkUnlocking } from '../domain/price-checks.ts';
import { createRequestId } from '../ids.ts';
import { type Command, runCommand, runStockFirst } from '../saga/command.ts';
import { answerWithTickets } from '../saga/follow-ups.ts';
import { releaseAtOnce, releaseInStock, releaseRefused, releaseRemoved, type Taken } from '../saga/release.ts';
import { sellIfDue } from '../saga/sell.ts';
import type { Rule } from '../saga/write.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';
import { cancelIfOver, holdUntil } from './actions.ts';
import {
  createHeldLines,
  createInvalidReferenceFault,
  findQuantityFaults,
  type OrderItem,
  requirePlaceCount,
  toStockItems,
} from './items.ts';
import {
  applyOrderPrice,
  buildDraftLines,
  type ClaimedPricing,
  claimUses,
  listClaimedUses,
  NO_PRICING,
  readOrderPricing,
  requireSellable,
  runWithPrices,
} from './prices.ts';

type Permitted = Pick<HeldLine, 'criterion' | 'item'>;

interface AdditionOptions {
  readonly permit?: ((lines: readonly Permitted[], order: OrderDocument) => Promise<void>) | undefined;
  /** Of a cart: all its places count for `client` from then on; absent members: as before. */
  readonly visitor?: Partial<Pick<OrderDocument, 'client' | 'pricedFor'>>;
}

/** All places, or none; an order that has paid for them is confirmed. @throws Fault as for a new order, and refusals */
export async function addOrderLines(
  context: OrdersContext,
  command: Command,
  items: readonly OrderItem[],
  { permit, visitor = {} }: AdditionOptions = {},
): Promise<OrderDocument> {
  const requestId = command.request ?? createRequestId(command.idempotencyRecord);
  let taken: Taken | undefined;
  let former: OrderDocument | undefined;
  let end = (): void => undefined;
  try {
    const { order } = await runStockFirst(context, command, {
      rule(order, now) {
        const refused = checkLinesAddable(order, now);
        if (!refused) requirePlaceCount(items, order.lines.length);
        return refused ?? accept(order);
      },
      async effect(order) {
        end();
        const own = { ...order, ...visitor };
        const moved = own.client === order.client ? 0 : order.heldPlaces;
        end = await context.limit.admit(own, requirePlaceCount(items, 0) + moved);
        if (moved > 0) former = order;
        await releaseInStock(context, order);
        const held = await holdMore(context, own, requestId, items, permit);
        const stock = [...(taken?.stock ?? []), ...held.lines.map(({ place }) => place.id)];
        taken = { stock, requestId, asOf: order.version };
        await holdAsLong(context, order, held);
        await permit?.(held.lines, order);
        const pricing = await priceMore(context, own, held, { requestId, items });
        taken = { ...taken, stock: [...taken.stock, ...listClaimedUses(pricing)] };
        return { held, pricing };
      },
      write:
        ({ held, pricing }) =>
        (order, now) => {
          const price = (next: OrderDocument) => applyOrderPrice(next, pricing, now);
          return addLines({ ...order, ...visitor }, createHeldLines(context, held, items, toBuyer(order)), now, price);
        },
    });
    if (former) context.limit.record(former, order.id, 0);
    await cancelIfOver(context, order);
    const left = await releaseAtOnce(context, order, command.idempotencyRecord);
    return left.saleDue ? await sellIfDue(context, left) : left;
  } catch (error) {
    await releaseRefused(context, command, taken, error);
    const faults = error instanceof Fault && error.code === 'semantically_invalid' ? findQuantityFaults(items) : [];
    throw faults.length > 0
      ? await createInvalidReferenceFault(context, command.institution, { items }, faults)
      : error;
  } finally {
    end();
  }
}

const holdMore = async (
  context: OrdersContext,
  order: OrderDocument,
  requestId: string,
  items: readonly OrderItem[],
  permit: AdditionOptions['permit'],
): Promise<Held> => {
  const { institution, id, pointOfSale, expiresAt, codes } = order;
  const performanceIds = items.map(({ performanceId }) => performanceId);
  await linkPerformances(context.links.of(institution), order, performanceIds);
  const wanted = {
    ...{ holder: id, requestId, asOf: order.version, items: toStockItems(items) },
    ...(isEmptiedCart(order) ? {} : { heldUntil: new Date(expiresAt ?? context.now()).toISOString() }),
    ...(pointOfSale === null ? {} : { pointOfSale }),
    ...(codes && { codes: codes.map(({ code }) => code) }),
    placesInOrder: order.lines.length,
  };
  return context.stock.hold(institution, wanted, async (priced, book) => {
    await permit?.(priced, order);
    const draft = { ...order, lines: [...order.lines, ...buildDraftLines(priced, items, book, toBuyer(order))] };
    requireSellable(
      draft,
      await readOrderPricing(context, { ...order, ...draft }, { book }),
      context.now(),
      checkUnlocking,
    );
  });
};

/** Claims the uses that the order needs with its new lines. */
const priceMore = async (
  context: OrdersContext,
  order: OrderDocument,
  held: Held,
  { requestId, items }: { readonly requestId: string; readonly items: readonly OrderItem[] },
): Promise<ClaimedPricing> => {
  if (!held.book && !isComposed(order)) return NO_PRICING;
  const { lines } = createHeldLines(context, held, items, toBuyer(order));
  const draft = {
    ...order,
    lines: [...order.lines, ...lines.map((line) => ({ ...line, ticketId: null, replacements: [] }))],
  };
  const { institution, id: holder, version: asOf } = order;
  const until = isEmptiedCart(order) ? 0 : (order.expiresAt ?? 0);
  const heldUntil = new Date(Math.max(until, Date.parse(held.heldUntil))).toISOString();
  const claim = { institution, holder, requestId, asOf, heldUntil, check: checkUnlocking };
  return claimUses(context, draft, await readOrderPricing(context, draft, { book: held.book }), claim);
};

/** A repeat finds the hold as it was, and the order may have been extended since. */
const holdAsLong = async (context: OrdersContext, order: OrderDocument, { heldUntil, lines }: Held): Promise<void> => {
  const until = order.expiresAt ?? 0;
  if (!isEmptiedCart(order) && Date.parse(heldUntil) < until) await holdUntil(context, order, until, lines);
};

/** Confirms the order if it is paid in full then. @throws Fault `not_found`, or a refusal of the rules */
export async function removeOrderLine(
  context: OrdersContext,
  command: Command,
  lineId: string,
): Promise<OrderDocument> {
  const rule =
    (price?: (order: OrderDocument) => OrderDocument): Rule =>
    (current, now) =>
      removeLine(current, { lineId, asOf: current.version }, now, price);
  const found = await context.orders.of(command.institution).get(command.orderId);
  const { order } =
    found && isComposed(found)
      ? await runWithPrices(context, command, rule, { isOptional: true })
      : await runCommand(context, command, rule());
  try {
    return await sellIfDue(context, await releaseRemoved(context, order));
  } catch (error) {
    // The removal is durable, and the release stays due.
    if (!isUnavailable(error)) throw error;
    return order;
  }
}

type Names = { readonly firstName?: string | null; readonly lastName?: string | null };

/**
 * Changes the beneficiary of a line; `to` makes the new names of the present line, and may refuse by throwing a Fault.
 * The ticket of a confirmed order follows.
 * @throws Fault `not_found`, or a refusal of the rules
 */
export async function nameOrderLine(
  context: OrdersContext,
  command: Command,
  lineId: string,
  to: (line: Line, order: OrderDocument) => Names | null | undefined,
): Promise<OrderDocument> {
  const { institution, orderId } = command;
  const found = await context.orders.of(institution).get(orderId);
  if (!found || isHidden(found)) throw createNotFoundFault();
  if (!found.lines.some(({ id }) => id === lineId)) throw createRefusalFault('unknown_line');
  const controlled =
    found.state === 'confirmed' ? ((await context.tickets.controlled(institution, orderId)) ?? []) : [];
  const { order } = await runCommand(context, command, (current, now) => {
    const change = { lineId, beneficiary: (line: Line) => toBeneficiary(to(line, current)) };
    return nameLine(current, change, controlled, now);
  });
  if (order.state !== 'confirmed' || !order.due?.issueTickets) return order;
  return answerWithTickets(context, order, command.idempotencyRecord);
}
