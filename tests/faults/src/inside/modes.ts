import { faithful, type Modes } from './orders.ts';

/** The current modes; the doubles of the bus and of the clock read them at every call. */
let current: Modes = faithful;

/** The current modes. */
export const modes = (): Modes => current;

/** Changes the modes for all later calls. */
export const behave = (next: Modes): void => {
  current = next;
};

/** The facts that have arrived since the last report, as `<queue> <id>`. */
export const arrived: string[] = [];

const Faithful = Date;
const shifted = (): number => Faithful.now() + (current.clockMs ?? 0);

/**
 * Replaces the wall clock of this process by one that differs by the modes' `clockMs`; monotonic time and timers stay.
 * Dates of both clocks have the same prototype.
 */
export const replaceClock = (): void => {
  globalThis.Date = new Proxy(Faithful, {
    get: (target, name, receiver) => (name === 'now' ? shifted : Reflect.get(target, name, receiver)),
    apply: () => new Faithful(shifted()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [shifted()] : args, newTarget),
  });
};
