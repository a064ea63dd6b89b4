import type { CrashPointName } from '../deployment/crash-points.ts';

/** What the bus of a process does with facts: its duty, each one again, or one of two faults that a check must notice. */
export type BusMode = 'faithful' | 'doubling' | 'acknowledging early' | 'dropping';

/** What the store of a process does with claims: its duty, or without looking whether the document still matches. */
export type StoreMode = 'faithful' | 'without compare-and-swap';

/** How the engines of a process behave; the standard is their duty. */
export interface Modes {
  readonly bus: BusMode;
  readonly store: StoreMode;
}

export const faithful: Modes = { bus: 'faithful', store: 'faithful' };

/** What the harness tells a process that it started. */
export type Order =
  | { readonly kind: 'modes'; readonly modes: Modes }
  /** Dies when the point is reached for the n-th time from now. */
  | { readonly kind: 'arm'; readonly point: CrashPointName; readonly nth: number }
  | { readonly kind: 'disarm' }
  | { readonly kind: 'count' };

/** What a process answers, to every order. */
export interface Report {
  readonly kind: 'done';
  /** To `count`: each handling of a fact that succeeded since it was asked last, as `<queue> <id>`. */
  readonly handled?: readonly string[];
}
