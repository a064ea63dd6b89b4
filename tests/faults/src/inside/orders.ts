import type { CrashPointName } from '../deployment/crash-points.ts';

/** How the bus of a process delivers facts: faithfully, each one again, or each one twice and out of order. */
export type BusMode = 'faithful' | 'doubling' | 'doubling out of order';

/** The modes of a process's engines; the default is faithful. */
export interface Modes {
  readonly bus: BusMode;
  /** Decides the delays of `doubling out of order`. */
  readonly seed?: string;
  /** How far the wall clock of the process is ahead, in milliseconds; default 0. */
  readonly clockMs?: number;
}

export const faithful: Modes = { bus: 'faithful' };

/** A bug that is planted in a process: a change of the text of one source file. */
export interface Mutation {
  /** The path in the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

/** An order from the harness to a process that it started. */
export type Order =
  | { readonly kind: 'modes'; readonly modes: Modes }
  /** The process dies when the point is reached for the n-th time from now. */
  | { readonly kind: 'arm'; readonly point: CrashPointName; readonly nth: number }
  | { readonly kind: 'disarm' }
  | { readonly kind: 'count' }
  | { readonly kind: 'planted' };

/** The deliveries to a process since the last report. */
export interface Deliveries {
  /** The facts that were handled, as `<queue> <id>`. */
  readonly handled: readonly string[];
  /** How many facts arrived after a later one of the same key. */
  readonly outOfOrder: number;
}

/** The report of a process after every order. */
export interface Report {
  readonly kind: 'done';
  /** For `count`. */
  readonly deliveries?: Deliveries;
  /** For `planted`: the files of the mutations that took effect. */
  readonly planted?: readonly string[];
}
