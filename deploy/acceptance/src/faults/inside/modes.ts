import { faithful, type Modes } from './orders.ts';

/** How the engines of this process behave at the moment; the doubles of both engines look here at every call. */
let current: Modes = faithful;

/** The modes at the moment. */
export const modes = (): Modes => current;

/** Changes them, for all calls from now on. */
export const behave = (next: Modes): void => {
  current = next;
};
