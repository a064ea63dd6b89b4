import { accept, type Decision, refuse } from './order/decision.ts';
import type { Order } from './order/order.ts';
import {
  abandon,
  type ConfirmStep,
  type ExtendStep,
  type LinesStep,
  type PendingStep,
  type ReleaseStep,
} from './order/pending-step.ts';

/**
 * How to end the step of a dead process, after {@link takeOver}; every action is idempotent. `abandon_draft`: release
 * all places of the holder and delete the draft. `sell`: [hold again if late,] sell, then `confirm` or `failConfirm`.
 * `abandon_lines`: release what the request holds, then `failLines`. `release`: release the places, then `released`.
 * `hold_longer`: extend the hold until the step's instant, then `extended` or `failExtension`.
 */
export type Recovery =
  | { readonly action: 'none' }
  | { readonly action: 'abandon_draft' }
  | { readonly action: 'sell'; readonly pending: ConfirmStep }
  | { readonly action: 'abandon_lines'; readonly pending: LinesStep }
  | { readonly action: 'release'; readonly pending: ReleaseStep }
  | { readonly action: 'hold_longer'; readonly pending: ExtendStep };

/** `request~2` after `request`, `request~3` after that. */
const nextTry = (request: string): string => {
  const [name = request, tries = '1'] = request.split('~');
  return `${name}~${Number(tries) + 1}`;
};

/**
 * A sale and an extension may be ended by any process, since all do the same. An abandoned step must not be completed
 * by its first process. Nor may that process end a release: a new line may hold the same places by then, so the
 * release continues under another request id.
 */
const takenOver = (pending: PendingStep, owner: string, now: number): PendingStep => {
  const taken = { since: now, owner };
  switch (pending.step) {
    case 'create':
    case 'lines':
      return abandon({ ...pending, ...taken }, 'failed');
    case 'release':
      return { ...pending, ...taken, request: nextTry(pending.request) };
    default:
      return { ...pending, ...taken };
  }
};

/** The action of the pending step, once {@link takeOver} is written; `none` without one. */
export const recovery = ({ pendingStep: pending }: Pick<Order, 'pendingStep'>): Recovery => {
  switch (pending?.step) {
    case undefined:
      return { action: 'none' };
    case 'create':
      return { action: 'abandon_draft' };
    case 'confirm':
      return { action: 'sell', pending };
    case 'lines':
      return { action: 'abandon_lines', pending };
    case 'release':
      return { action: 'release', pending };
    case 'extend':
      return { action: 'hold_longer', pending };
  }
};

/**
 * Makes the caller the owner of the step of a dead process, whose lease is `from`; `busy` if another process owns it
 * by now. Write it before the action that {@link recovery} names.
 */
export const takeOver = <O extends Order>(
  order: O,
  { from, to }: { readonly from: string | undefined; readonly to: string },
  now: number,
): Decision<O> => {
  if (order.pendingStep === null) return refuse('step_lost', 'The order has no pending step.');
  if (order.pendingStep.owner !== from) return refuse('busy', 'Another process works on the step.');
  return accept({ ...order, pendingStep: takenOver(order.pendingStep, to, now) });
};
