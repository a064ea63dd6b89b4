import type { CrashPointName } from '../deployment/crash-points.ts';

/**
 * How the bus of a process delivers facts: faithfully, each one again, or with one of two faults that a check must
 * detect.
 */
export type BusMode = 'faithful' | 'doubling' | 'acknowledging early' | 'dropping';

/** How the store of a process claims documents: faithfully, or without comparing the document with the filter. */
export type StoreMode = 'faithful' | 'without compare-and-swap';

/** The modes of a process's engines; the default is faithful. */
export interface Modes {
  readonly bus: BusMode;
  readonly store: StoreMode;
}

export const faithful: Modes = { bus: 'faithful', store: 'faithful' };

/** An order from the harness to a process that it started. */
export type Order =
  | { readonly kind: 'modes'; readonly modes: Modes }
  /** The process dies when the point is reached for the n-th time from now. */
  | { readonly kind: 'arm'; readonly point: CrashPointName; readonly nth: number }
  | { readonly kind: 'disarm' }
  | { readonly kind: 'count' };

/** The report of a process after every order. */
export interface Report {
  readonly kind: 'done';
  /** For `count`: the facts that were handled since the last report, as `<queue> <id>`. */
  readonly handled?: readonly string[];
}
