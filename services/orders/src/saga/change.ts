// Does a change whose new places are held and that is paid for, and what follows from it. Any process may, also several
// at once: each step is conditional on what it finds.

import { Fault } from '@boxoffice/envelope';
import type { IdempotencyRecord } from '@boxoffice/store';
import { createRefusalFault, isUnavailable, toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import {
  doChange,
  findChange,
  findPendingChange,
  findUnsettledChange,
  lapseChange,
  listNewStock,
  listOwnStock,
} from '../domain/changes/change.ts';
import {
  dropRefund,
  findLapseCause,
  listRetainedStock,
  replaceNewPlaces,
  settleChange,
} from '../domain/changes/follow.ts';
import { endChangeIfDue } from '../domain/changes/paying.ts';
import type { Sale } from '../domain/confirmation.ts';
import { accept, isRefused, refuse } from '../domain/decisions.ts';
import { buildNamedTickets } from '../domain/order/facts.ts';
import type { Change } from '../domain/order/order.ts';
import { listUses } from '../domain/price.ts';
import { deriveId } from '../ids.ts';
import type { OrderDocument } from '../store.ts';
import { releaseAtOnce } from './release.ts';
import { RENEWED_MS, releaseSold, sellPlaces } from './sell.ts';
import { attempt, type Rule, toTarget } from './write.ts';

/**
 * What a request goes on with that has written a change: it is done and settled if it is paid for. Tickets and the
 * catalog may follow later, as where earlier changes are not settled: what settles those goes on with it. @throws Fault
 * `payment_recorded` or `order_places_unavailable` if its places are gone
 */
export async function finishChange(
  context: OrdersContext,
  order: OrderDocument,
  changeId: string,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  let left = order;
  const isDue = findChange(order, changeId)?.coveredAt != null;
  if (isDue) left = await doPaidChange(context, order);
  const change = findChange(left, changeId);
  if (change?.state === 'lapsed') {
    const released = await releaseAtOnce(context, left);
    throw refuseGone(released, change);
  }
  const first = findUnsettledChange(left);
  if (first && first.id !== changeId) return remember(context, left, idempotencyRecord);
  try {
    return await settleChanges(context, left, idempotencyRecord);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return remember(context, left, idempotencyRecord);
  }
}

const remember = async (
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord: IdempotencyRecord<OrderDocument> | undefined,
): Promise<OrderDocument> =>
  idempotencyRecord
    ? (await attempt(context, toTarget(order), (same) => accept(same), idempotencyRecord)).order
    : order;

const refuseGone = (order: OrderDocument, change: Change) => {
  const { id: orderId, payments } = order;
  const paid = payments.find(({ changeId, status }) => changeId === change.id && status === 'captured');
  const ended = paid ? undefined : findLapseCause(order, change);
  if (ended) return toFault(ended.refused);
  if (!paid) return createRefusalFault('places_unavailable', 'Places of the change are gone, so nothing was changed.');
  return toFault({
    ...refuse('places_gone', 'The payment is recorded, but places of the change are gone, so it was not done.').refused,
    recorded: { orderId, paymentId: paid.id },
  });
};

/**
 * Sells the new places of the pending change if it is paid for, and does it; without places left it lapses. Idempotent.
 * @throws Fault `service_unavailable`: it stays due
 */
export async function doPaidChange(context: OrdersContext, order: OrderDocument): Promise<OrderDocument> {
  const change = findPendingChange(order);
  if (!change || change.coveredAt === null) return order;
  const sale = await sellNew(context, order, change);
  const rule: Rule = (current, now) => {
    const known = findPendingChange(current);
    if (known?.id !== change.id) return accept(current);
    if (!sale) return accept(lapseChange(current, {}, now));
    const done = doChange(current, change.id, sale, now);
    // Its money cannot go back any more, by a dispute for instance: then it stays credit.
    const isUnrefundable = isRefused(done) && done.refused.reason !== 'overtaken';
    return isUnrefundable ? doChange(dropRefund(current, change.id), change.id, sale, now) : done;
  };
  const outcome = await attempt(context, toTarget(order), rule);
  if (sale) await releaseSold(context, outcome.order, { sold: sale.soldPlaceIds, version: change.asOf });
  return outcome.order;
}

/** After the end of the hold places are held again, or others of their category instead. Undefined: they are gone. */
const sellNew = async (context: OrdersContext, order: OrderDocument, change: Change): Promise<Sale | undefined> => {
  const placeIds = listNewStock(order, change);
  if (placeIds.length === 0) return { soldPlaceIds: [] };
  const { institution, id, version: asOf } = order;
  const isLate = (change.deadline ?? 0) <= context.now();
  const held = { ...order, expiresAt: change.deadline };
  const sale = isLate ? undefined : await sellPlaces(context, held, placeIds);
  if (sale) return sale;
  const until = context.now() + RENEWED_MS;
  const { missing, places } = await context.stock.renew(institution, id, {
    requestId: deriveId('req', 'change', change.id, String(change.coveredAt)),
    heldUntil: new Date(until).toISOString(),
    placeIds,
    asOf,
  });
  if (missing.length > 0) return undefined;
  const replaced = places.flatMap(({ replaces, id: placeId, label, row, seat }) =>
    replaces === null ? [] : [{ replaces, place: { id: placeId, label, row, seat } }],
  );
  // What is sold is named before, so that it is released if the change lapses all the same.
  const { order: named } = await attempt(context, toTarget(order), (current) =>
    accept(replaceNewPlaces(current, change.id, replaced)),
  );
  const wanted = places.map((place) => place.id);
  const isNamed =
    findPendingChange(named)?.id === change.id && wanted.every((one) => listOwnStock(named).includes(one));
  return isNamed ? sellPlaces(context, { ...order, expiresAt: until }, wanted) : undefined;
};

/** One that is paid for is done, by credit too; one past its deadline lapses. @throws Fault `service_unavailable` */
export async function endDueChange(context: OrdersContext, order: OrderDocument): Promise<OrderDocument> {
  const rule: Rule = (current, now) => accept(endChangeIfDue(current, now));
  const { order: left } = await attempt(context, toTarget(order), rule);
  return findPendingChange(left) ? doPaidChange(context, left) : releaseAtOnce(context, left);
}

/**
 * Old tickets first, then old places, then one write, for each change in their order. A ticket that a gate has let in
 * stays, and so does its place. Idempotent. @throws Fault `service_unavailable`: it stays due
 */
export async function settleChanges(
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  let left = order;
  let isRemembered = false;
  for (let change = findUnsettledChange(left); change; change = findUnsettledChange(left)) {
    const { institution, id } = left;
    const { id: changeId, asOf } = change;
    const { ticketsCancelled, controlled, keptLineIds } = await context.tickets.settle(
      institution,
      left.version,
      toTicketChange(left, change),
    );
    const own = new Set(listRetainedStock(left, change));
    const former = (left.formerLines ?? []).filter((line) => line.changeId === changeId);
    const places = former.filter((line) => !keptLineIds.includes(line.id) && !own.has(line.place.id));
    const uses = former.flatMap(listUses).filter((use) => !own.has(use));
    const placeIds = [...places.map(({ place }) => place.id), ...uses];
    if (placeIds.length > 0) await context.stock.release(institution, id, { placeIds, asOf, sold: true });
    const counts = { ticketsCancelled, controlled, placesReleased: places.length, keptLineIds };
    const rule: Rule = (current, now) => settleChange(current, changeId, counts, now);
    const isLast = left.changes?.findLast(({ state }) => state === 'done')?.id === changeId;
    left = (await attempt(context, toTarget(left), rule, isLast ? idempotencyRecord : undefined)).order;
    isRemembered ||= isLast;
  }
  return isRemembered ? left : remember(context, left, idempotencyRecord);
}

/** With tickets alone, which a restore may have set back: a call that comes again has the same effect and answer. */
export async function repeatSettlements({ tickets }: OrdersContext, order: OrderDocument): Promise<void> {
  for (const change of order.changes ?? [])
    if (change.settlement.settledAt !== null)
      await tickets.settle(order.institution, order.version, toTicketChange(order, change));
}

const toTicketChange = (order: OrderDocument, { id, override, returns, exchanges }: Change) => {
  const now = buildNamedTickets(order);
  // What replaces a line may have left by a later change.
  const all = [...now.tickets, ...buildNamedTickets(order, order.formerLines ?? []).tickets];
  const find = (wanted: string) => all.filter(({ lineId }) => lineId === wanted);
  return {
    ...now,
    change: {
      id,
      override: override === true,
      returned: returns.flatMap(({ lineId }) => find(lineId)),
      exchanged: exchanges.flatMap(({ lineId, newLineId }) => {
        const [[leaving], [replacing]] = [find(lineId), find(newLineId)];
        return leaving && replacing ? [{ leaving, replacing }] : [];
      }),
    },
  };
};

/**
 * Does it if it is paid for, and nothing otherwise. @throws Fault `payment_recorded` unless that is possible;
 * `service_unavailable`: it stays due
 */
export async function finishPaidChange(
  context: OrdersContext,
  order: OrderDocument,
  changeId: string,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  const { state, coveredAt } = findChange(order, changeId) ?? {};
  const isOver = state === 'done' || (state === 'pending' && coveredAt === null);
  return isOver ? order : finishChange(context, order, changeId, idempotencyRecord);
}

/** As {@link finishPaidChange}, for a report of money: where it cannot be done the money is credit, or it stays due. */
export async function finishIfPaid(
  context: OrdersContext,
  order: OrderDocument,
  changeId: string,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  try {
    return await finishPaidChange(context, order, changeId, idempotencyRecord);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return (await context.orders.of(order.institution).get(order.id)) ?? order;
  }
}

/**
 * Holds its new places for so long at least (epoch milliseconds). @throws Fault `precondition_failed` if some are gone;
 * `service_unavailable`: nobody knows for how long they are held
 */
export async function holdNewUntil(
  { stock }: OrdersContext,
  order: OrderDocument,
  change: Pick<Change, 'newLines'>,
  until: number,
): Promise<void> {
  const placeIds = listNewStock(order, change);
  if (placeIds.length === 0) return;
  const body = { heldUntil: new Date(until).toISOString(), placeIds };
  const { missing } = await stock.extend(order.institution, order.id, body);
  if (missing.length > 0) throw createRefusalFault('places_gone', 'Places of the change are gone.');
}
