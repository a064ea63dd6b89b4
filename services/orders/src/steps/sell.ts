import type { RenewedPlace } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { confirm, failConfirm } from '../domain/confirmation.ts';
import { hasNames } from '../domain/order/facts.ts';
import type { ConfirmStep } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { ifOwned, stepStock } from './stock.ts';
import { answerWithTickets } from './tickets.ts';
import { type Ending, finish, targetOf } from './write.ts';

/** Milliseconds for which the places of an expired order are held again; they are sold immediately. */
const RENEWED_MS = 120_000;

const placeIdsOf = ({ lines }: OrderDocument): string[] => lines.map(({ place }) => place.id);

/** Holds the places of an expired order again; undefined if some are gone. */
const renew = async (
  context: OrdersContext,
  order: OrderDocument,
  requestId: string,
): Promise<readonly RenewedPlace[] | undefined> => {
  const until = context.now() + RENEWED_MS;
  const { missing, places } = await stepStock(context, order).renew(requestId, until, placeIdsOf(order));
  return missing.length === 0 ? places : undefined;
};

const replacementsIn = (places: readonly RenewedPlace[]) =>
  places.flatMap(({ replaces, id, label, row, seat }) =>
    replaces === null ? [] : [{ replaces, place: { id, label, row, seat } }],
  );

/**
 * Executes a pending step `confirm`: holds the places again if the order was expired, sells them, confirms the order,
 * and issues its tickets. @throws Fault `precondition_failed` or `payment_recorded` if places are gone;
 * `service_unavailable` if the catalog does not answer: the step stays pending
 */
export const sell = async (
  context: OrdersContext,
  order: OrderDocument,
  pending: ConfirmStep,
  idempotencyRecord?: Ending['idempotencyRecord'],
): Promise<OrderDocument> => {
  const { request } = pending;
  const target = targetOf(order);
  const fail = () =>
    finish(
      context,
      target,
      ifOwned(order, (current, now) => failConfirm(current, { request }, now)),
      { request },
    );
  const renewed = pending.late ? await renew(context, order, request) : [];
  if (!renewed) return fail();
  const placeIds = pending.late ? renewed.map(({ id }) => id) : placeIdsOf(order);
  const { missing } = await stepStock(context, order).sell(placeIds);
  if (missing.length > 0) return fail();
  const sale = { request, soldPlaceIds: placeIds, replaced: replacementsIn(renewed) };
  // With names, the acknowledgement of tickets is another write, and the answer has the version after it: it is stored
  // then, and a repeat whose answer is not stored finds the request among the handled ones.
  const isAnsweredLater = hasNames(order);
  const ending = { request, idempotencyRecord: isAnsweredLater ? undefined : idempotencyRecord };
  const confirmed = await finish(context, target, (current, now) => confirm(current, sale, now), ending);
  return answerWithTickets(context, confirmed, isAnsweredLater ? idempotencyRecord : undefined);
};
