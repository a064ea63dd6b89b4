import { faithful, type Modes } from './orders.ts';

/** The engines' current modes; the doubles of both engines read them at every call. */
let current: Modes = faithful;

/** The current modes. */
export const modes = (): Modes => current;

/** Changes the modes for all later calls. */
export const behave = (next: Modes): void => {
  current = next;
};
