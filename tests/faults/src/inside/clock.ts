import { modes } from './modes.ts';

const Faithful = Date;
const shifted = (): number => Faithful.now() + (modes().clockMs ?? 0);

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
