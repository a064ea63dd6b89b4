import { type ConfirmMark, type ExtendMark, isStale, type LinesMark, type ReleaseMark } from './begun.ts';
import { accept, type Decision, refuse } from './decision.ts';
import type { Order } from './order.ts';

/**
 * How to finish a step whose process died; every action may be done twice.
 * `drop`: release all places of the holder and delete the draft. `sell`: [hold again if late,] sell, then `confirm` or
 * `failConfirm`. `undo_lines`: release what the request held, then `failLines`. `release`: release the places, then
 * `released`. `hold_longer`: extend the hold until the mark's instant, then `extended` or `failExtension`.
 */
export type Recovery =
  | { readonly action: 'none' }
  | { readonly action: 'drop' }
  | { readonly action: 'sell'; readonly mark: ConfirmMark }
  | { readonly action: 'undo_lines'; readonly mark: LinesMark }
  | { readonly action: 'release'; readonly mark: ReleaseMark }
  | { readonly action: 'hold_longer'; readonly mark: ExtendMark };

/** What is to be finished; `none` without a mark, and while its process may still live. */
export const recovery = ({ begun }: Pick<Order, 'begun'>, now: number): Recovery => {
  if (begun === null || !isStale(begun, now)) return { action: 'none' };
  switch (begun.step) {
    case 'create':
      return { action: 'drop' };
    case 'confirm':
      return { action: 'sell', mark: begun };
    case 'lines':
      return { action: 'undo_lines', mark: begun };
    case 'release':
      return { action: 'release', mark: begun };
    case 'extend':
      return { action: 'hold_longer', mark: begun };
  }
};

/**
 * Makes a dead step that of the caller, so that no other instance recovers it too; `busy` while its process may still
 * live. What recovery undoes is abandoned from here on: a process that comes back to life cannot complete it.
 */
export const takeOver = <O extends Order>(order: O, now: number): Decision<O> => {
  if (order.begun === null) return refuse('lost_mark', 'There is nothing to finish.');
  if (!isStale(order.begun, now)) return refuse('busy', 'The step is still under way.');
  const { begun } = order;
  return accept({
    ...order,
    begun:
      begun.step === 'create' || begun.step === 'lines'
        ? { ...begun, since: now, abandoned: true }
        : { ...begun, since: now },
  });
};
