import { accept, type Decision, refuse } from './order/decision.ts';
import type { Order } from './order/order.ts';
import { touched, unfit } from './order/state.ts';

const MINUTE_MS = 60_000;
export const MAX_EXTENSION_MINUTES = 60;

/** The order whose hold ends at this instant; a reserved one is due then. */
const heldUntil = <O extends Order>(order: O, until: number, now: number): O =>
  touched(
    { ...order, expiresAt: until, deadline: until, dueAt: order.state === 'reserved' ? until : order.dueAt },
    now,
  );

/**
 * Extends the hold of an open or reserved order to `minutes` after `at`, when the request was made; never to an earlier
 * end than before. Refused: `invalid_minutes` unless above 0 and at most 60, `wrong_state`.
 */
export const extend = <O extends Order>(
  order: O,
  { minutes, at }: { readonly minutes: number; readonly at: number },
  now: number,
): Decision<O> => {
  const refused = unfit(order, ['open', 'reserved'], 'extended', now);
  if (refused) return refused;
  if (!(minutes > 0 && minutes <= MAX_EXTENSION_MINUTES))
    return refuse('invalid_minutes', `An extension is by more than 0 and at most ${MAX_EXTENSION_MINUTES} minutes.`);
  return accept(heldUntil(order, Math.max(order.expiresAt ?? 0, at + Math.round(minutes * MINUTE_MS)), now));
};

/**
 * Holds the places of an open order without payment until `dueAt`, any future instant. Refused: `due_in_past`,
 * `wrong_state`.
 */
export const reserve = <O extends Order>(order: O, dueAt: number, now: number): Decision<O> => {
  const refused = unfit(order, ['open'], 'reserved', now);
  if (refused) return refused;
  if (!(Number.isSafeInteger(dueAt) && dueAt > now)) return refuse('due_in_past');
  return accept(heldUntil({ ...order, state: 'reserved' }, dueAt, now));
};
