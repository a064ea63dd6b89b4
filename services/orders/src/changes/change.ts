import { IdempotencyKeyTaken } from '@boxoffice/store';
import { createRefusalFault, isHoldUncertain, RefusedOrder, toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { beginChange, findChange } from '../domain/changes/change.ts';
import { type ChangeRefusal, checkOrderChangeable } from '../domain/changes/check.ts';
import { emptyChange } from '../domain/changes/follow.ts';
import { accept } from '../domain/decisions.ts';
import type { Change, Payment } from '../domain/order/order.ts';
import { toPagePayment } from '../domain/providers.ts';
import { deriveId } from '../ids.ts';
import { cancelIfOver } from '../orders/actions.ts';
import { finishChange, holdNewUntil } from '../saga/change.ts';
import { type Command, runCommand, runStockFirst } from '../saga/command.ts';
import { releaseRefused, releaseTaken, type Taken } from '../saga/release.ts';
import type { OrderDocument } from '../store.ts';
import {
  type ChangeDraft,
  composeDraft,
  type DraftInput,
  draftChange,
  draftReturns,
  listOwnRefusals,
} from './draft.ts';
import { claimNewLines, holdFresh } from './hold.ts';
import { listFresh, mergeLines, quoteOwnPlaces } from './new-lines.ts';
import type { ChangeRequest } from './request.ts';

/** Milliseconds that a change without new places waits for its payment, without a point of sale. */
const WAIT_MS = 15 * 60_000;

/**
 * New places are held first, then the change is written; with nothing left to pay it is done when this answers, else it
 * is pending. A repeat finds it, also if it has lapsed since. @throws Fault for each refusal of section 5 of commerce, in
 * its order; `payment_recorded` where it is paid and its places are gone
 */
export async function changeOrder(
  context: OrdersContext,
  given: Command,
  requested: ChangeRequest,
): Promise<OrderDocument> {
  const { id, exchanges } = requested;
  const controlled = (await context.tickets.controlled(given.institution, given.orderId)) ?? [];
  const command = { ...given, isMade: (order: OrderDocument) => findChange(order, id) !== undefined };
  const input = { ...requested, controlled };
  const made = await (exchanges.length > 0 ? exchangeLines : returnLines)(context, command, requested, input);
  let { order } = made;
  if (made.done && isGivenUp(order, findChange(order, id))) return order;
  // What is paid for is sold first, which asks for the performances, too.
  if (findChange(order, id)?.state === 'pending' && findChange(order, id)?.coveredAt === null) {
    await cancelIfOver(context, order);
    order = (await context.orders.of(given.institution).get(given.orderId)) ?? order;
  }
  return finishChange(context, order, id, given.idempotencyRecord).catch((error: unknown) => {
    // Another answer was stored under the key meanwhile. What is written is done all the same.
    if (!(error instanceof IdempotencyKeyTaken)) throw error;
    return finishChange(context, order, id);
  });
}

/** It has waited for a payment that did not come. */
const isGivenUp = ({ payments }: OrderDocument, change: Change | undefined): boolean =>
  change?.state === 'lapsed' &&
  change.due > 0 &&
  !payments.some(({ changeId, status }) => changeId === change.id && status === 'captured');

type Run = (
  context: OrdersContext,
  command: Command,
  requested: ChangeRequest,
  input: DraftInput,
) => ReturnType<typeof runCommand>;

/** One write, since nothing is held. */
const returnLines: Run = (context, command, requested, input) =>
  runCommand(context, command, (current, now) => {
    const refused = checkOrderChangeable(current, now);
    if (refused) return refused;
    const draft = draftReturns(current, input, now);
    requireChange(context, draft, requested);
    return beginChange(current, toChange(current, draft, requested, { now, until: now + WAIT_MS }), now);
  });

const exchangeLines: Run = async (context, command, requested, input) => {
  const { id, exchanges } = requested;
  let taken: Taken | undefined;
  let end = (): void => undefined;
  const take = (asOf: number, stock: readonly string[]): void => {
    taken = { stock: [...(taken?.stock ?? []), ...stock], requestId: deriveId('req', id), asOf };
  };
  try {
    const result = await runStockFirst(context, command, {
      rule: (current, now) => checkOrderChangeable(current, now) ?? accept(current),
      async effect(current) {
        end();
        const fresh = listFresh(current, exchanges);
        let until = context.now() + WAIT_MS;
        let draft: ChangeDraft;
        if (fresh.length > 0 && listOwnRefusals(current, input, context.now()).length === 0) {
          try {
            end = await context.limit.admit(current, fresh.length);
            const held = await holdFresh(context, current, { requested, fresh, isRepeated: taken !== undefined, take });
            const kept = await quoteOwnPlaces(context, current, id, exchanges);
            draft = await composeDraft(context, current, input, mergeLines(exchanges, [held, kept]));
            until = held.until;
          } catch (error) {
            if (!(error instanceof RefusedOrder)) throw error;
            // What comes before new places, in the order of refusals, refuses first.
            const quoted = await draftChange(context, current, input);
            requireChange(context, quoted, requested);
            if (error.reason !== 'hold_limit') throwFirst(quoted.placeRefusals);
            throw error;
          }
        } else draft = await draftChange(context, current, input);
        throwFirst(draft.refusals);
        requireDifference(draft.difference, requested.difference);
        const paid = { ...requested, ...(await requested.pay?.(current, draft.due)) };
        requireChange(context, draft, paid);
        throwFirst(draft.placeRefusals);
        const priced = await claimNewLines(context, current, draft, { requested, until, take });
        requireDifference(priced.difference, requested.difference);
        if (fresh.length === 0 && priced.due > 0) until = context.now() + (await readHoldMs(context, current));
        const made = toChange(current, priced, paid, { now: context.now(), until });
        const deadline = await holdForPayment(context, current, made.change, paid.payment);
        return { ...made, change: { ...made.change, deadline } };
      },
      write: (prepared) => (current, now) => beginChange(current, prepared, now),
    });
    // Another attempt of the request has made the change, with its own places.
    if (result.done && taken) await releaseTaken(context, command, taken);
    return result;
  } catch (error) {
    await releaseRefused(context, command, taken, error);
    throw error;
  } finally {
    end();
  }
};

/** @throws Fault for the first step before new places that refuses it: of order and lines, the difference, the money */
const requireChange = (context: OrdersContext, draft: ChangeDraft, requested: ChangeRequest): void => {
  throwFirst(draft.refusals);
  requireDifference(draft.difference, requested.difference);
  const { due, credit } = draft;
  const { payment, onAccount, refund } = requested;
  if ([payment, onAccount, refund].filter(Boolean).length > 1)
    throw createRefusalFault('change_overpaid', 'A change has one of $.payment, $.onAccount and $.refund.');
  if ((payment || onAccount) && due === 0)
    throw createRefusalFault('change_overpaid', 'Nothing is due, so $.payment and $.onAccount are of no use.');
  if (refund && credit === 0)
    throw createRefusalFault('change_overpaid', 'The change leaves no credit, so there is nothing to refund.');
  if (onAccount && context.mayDo?.onAccount === false) throw createRefusalFault('on_account_excluded');
};

const throwFirst = (refusals: readonly ChangeRefusal[]): void => {
  const [first] = refusals;
  if (!first) return;
  const same = refusals.filter(({ refusal }) => refusal.reason === first.refusal.reason);
  throw toFault({ ...first.refusal, details: same.map(({ refusal }) => refusal.details).join(' ') });
};

const requireDifference = (difference: number, given: number): void => {
  if (difference === given) return;
  const details = `$.difference is ${given}, but the change makes a difference of ${difference}.`;
  throw createRefusalFault('difference_changed', details);
};

/** Milliseconds that the point of sale holds places. */
const readHoldMs = async ({ stock }: OrdersContext, { institution, pointOfSale }: OrderDocument): Promise<number> => {
  const minutes = pointOfSale === null ? null : await stock.holdMinutes(institution, pointOfSale);
  return minutes === null ? WAIT_MS : minutes * 60_000;
};

/** Until when it waits (epoch milliseconds): for the grace period longer if a payment of it is pending. */
const holdForPayment = async (
  context: OrdersContext,
  order: OrderDocument,
  change: Change,
  payment: ChangeRequest['payment'],
): Promise<number> => {
  const expiresAt = change.expiresAt ?? 0;
  if (change.coveredAt !== null || !payment) return expiresAt;
  const { page } = payment;
  const until = page ? Math.max(expiresAt, page.until) : expiresAt + context.graceMs;
  try {
    await holdNewUntil(context, order, change, until);
    return until;
  } catch (error) {
    if (page || !isHoldUncertain(error)) throw error;
    return expiresAt;
  }
};

/** As it is written; with its payment, of exactly what it leaves due. */
const toChange = (
  order: OrderDocument,
  draft: ChangeDraft,
  { id, payment, onAccount, refund, override, givesBack, createdBy }: ChangeRequest,
  { now, until }: { readonly now: number; readonly until: number },
): { readonly change: Change; readonly payment?: Payment } => {
  const { returns, exchanges, newLines, fees, difference, fee, due, credit } = draft;
  const isCovered = due === 0 || payment?.status === 'captured' || onAccount === true;
  const { pointOfSale } = order;
  const maker = createdBy ?? (givesBack && pointOfSale !== null ? { pointOfSale } : undefined);
  const made = { ...(maker && { createdBy: maker }), createdAt: now };
  const change: Change = {
    ...emptyChange,
    ...{ id, returns, exchanges, newLines, fees, difference, fee, due, credit },
    ...(override && { override }),
    ...(givesBack && { givesBack }),
    ...(refund && { refund, refundId: deriveId('ref', id) }),
    ...{ expiresAt: until, deadline: until, coveredAt: isCovered ? now : null, ...made, asOf: order.version },
  };
  if (!payment) return { change };
  const { method, status, reference = null, page } = payment;
  const paid = { id: deriveId('pay', id), changeId: id, method, status, reference, amount: due };
  const byProvider = page && toPagePayment(order, page, now);
  return { change, payment: { ...paid, currency: order.currency, ...made, updatedAt: now, ...byProvider } };
};
