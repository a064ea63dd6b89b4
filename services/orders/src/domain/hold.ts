import { accept, acceptButRefuse, type Decision, refuse } from './order/decision.ts';
import { endedIfDue } from './order/expiry.ts';
import type { Order } from './order/order.ts';
import { touched, unfit } from './order/state.ts';

const MINUTE_MS = 60_000;
export const MAX_EXTENSION_MINUTES = 60;

/** End of the hold after an extension by `minutes` from now, never earlier than before. Epoch milliseconds. */
const extendedUntil = (order: Order, minutes: number, now: number): number =>
  Math.max(order.expiresAt ?? 0, now + Math.round(minutes * MINUTE_MS));

/**
 * Begins to extend the hold of an open or reserved order to `minutes` from now, at most 60; `invalid_minutes`
 * otherwise.
 */
export const beginExtension = <O extends Order>(
  order: O,
  { request, minutes }: { readonly request: string; readonly minutes: number },
  now: number,
): Decision<O> => {
  const refused = unfit(order, ['open', 'reserved'], 'extended', now);
  if (refused) return refused;
  if (!(minutes > 0 && minutes <= MAX_EXTENSION_MINUTES))
    return refuse('invalid_minutes', `An extension is by more than 0 and at most ${MAX_EXTENSION_MINUTES} minutes.`);
  const until = extendedUntil(order, minutes, now);
  return accept({ ...order, pendingStep: { step: 'extend', request, since: now, cause: 'extension', until } });
};

/**
 * Begins to hold the places of an open order without payment until `dueAt`, any future instant; `due_in_past`
 * otherwise.
 */
export const beginReservation = <O extends Order>(
  order: O,
  { request, dueAt }: { readonly request: string; readonly dueAt: number },
  now: number,
): Decision<O> => {
  const refused = unfit(order, ['open'], 'reserved', now);
  if (refused) return refused;
  if (!(Number.isSafeInteger(dueAt) && dueAt > now)) return refuse('due_in_past');
  return accept({ ...order, pendingStep: { step: 'extend', request, since: now, cause: 'reservation', until: dueAt } });
};

/**
 * Ends a step `extend`: the catalog holds the places until the step's `until`. An extension moves the deadline, a
 * reservation makes the order reserved; for a pending payment everything was written before.
 */
export const extended = <O extends Order>(
  order: O,
  { request }: { readonly request: string },
  now: number,
): Decision<O> => {
  const { pendingStep: pending } = order;
  if (pending?.step !== 'extend' || pending.request !== request)
    return refuse('step_lost', 'The pending extension of the hold was ended by another process.');
  if (pending.cause === 'payment') return endedIfDue({ ...order, pendingStep: null }, now);
  const until = { expiresAt: pending.until, deadline: pending.until, pendingStep: null };
  if (pending.cause === 'reservation')
    return endedIfDue(touched({ ...order, ...until, state: 'reserved', dueAt: pending.until }, now), now);
  return endedIfDue(
    touched({ ...order, ...until, dueAt: order.state === 'reserved' ? pending.until : order.dueAt }, now),
    now,
  );
};

/**
 * Ends a step `extend` when places are gone: the order stays as it was, and expires if due. Answers `places_gone`,
 * except for a pending payment: that is recorded, and the order has no grace period. Its hold has ended then, so it
 * expires; a capture afterwards tries to hold the places again.
 */
export const failExtension = <O extends Order>(
  order: O,
  { request }: { readonly request: string },
  now: number,
): Decision<O> => {
  const { pendingStep: pending } = order;
  if (pending?.step !== 'extend' || pending.request !== request)
    return refuse('step_lost', 'The pending extension of the hold was ended by another process.');
  if (pending.cause === 'payment') return endedIfDue({ ...order, deadline: order.expiresAt, pendingStep: null }, now);
  return acceptButRefuse(
    endedIfDue({ ...order, pendingStep: null }, now),
    refuse('places_gone', 'Places of the order are gone, so their hold cannot be extended.'),
  );
};
