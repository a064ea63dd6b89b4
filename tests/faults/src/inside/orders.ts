/** The modes of a process's engines. */
export interface Modes {
  /** Whether its bus publishes each fact twice and out of order. */
  readonly doubling: boolean;
  /** Decides the delays of the copies. */
  readonly seed?: string;
  /** How far the wall clock of the process is ahead, in milliseconds; default 0. */
  readonly clockMs?: number;
}

export const faithful: Modes = { doubling: false };

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
  /** The process dies when the crash point of that name is reached for the n-th time from now. */
  | { readonly kind: 'arm'; readonly point: string; readonly nth: number }
  | { readonly kind: 'disarm' }
  | { readonly kind: 'count' }
  | { readonly kind: 'planted' };

/** The report of a process after every order. */
export interface Report {
  readonly kind: 'done';
  /** For `count`: the facts that have arrived since the last report, as `<queue> <id>`. */
  readonly arrived?: readonly string[];
  /** For `planted`: the files of the mutations that took effect. */
  readonly planted?: readonly string[];
}
