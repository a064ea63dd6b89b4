// Messages of the writer thread: plain arrays of text and numbers, cheap to copy.

export type Value = string | number | null;

/** `must`: aborts the write unless it changes a row. `rows`: returns its rows. `each`: runs for every row of values. */
export type Step =
  | readonly [sql: string, kind: 'run' | 'must' | 'rows', values: readonly Value[]]
  | readonly [sql: string, kind: 'each', rows: readonly (readonly Value[])[]];

/** Steps that take effect together or not at all; the answer is that of the first. `queuedAt` as `readMonotonicMs`. */
export type Write = readonly [call: number, file: number, steps: readonly Step[], queuedAt: number];

/** Milliseconds of a clock that all threads share, and nobody sets. */
export function readMonotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** The requests to the writer thread; opening and closing are queued among the writes. */
export type Request =
  | { readonly kind: 'writes'; readonly writes: readonly Write[] }
  | {
      readonly kind: 'open';
      readonly call: number;
      readonly file: number;
      readonly path: string;
      readonly tables: readonly Table[];
    }
  | { readonly kind: 'close'; readonly call: number; readonly file: number };

/** A table as it shall be: generated columns by name, and the full statements of its indexes by name. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly indexes: Readonly<Record<string, string>>;
  /** Whether it has the columns of due work: `due` in JSON, `due_at` the earliest instant. */
  readonly due?: boolean;
}

/** Why a write was aborted. `code` is SQLite's extended result code, 0 if a `must` changed nothing. */
export interface Failure {
  readonly step: number;
  readonly code: number;
  readonly message: string;
}

/** Rows changed, rows read, or why nothing happened. */
export type Answer = number | readonly (readonly unknown[])[] | Failure;

/** Calls and their results, flat and alternating, in the order of their commits. */
export type Reply = readonly (number | Answer)[];

export function isFailure(answer: Answer): answer is Failure {
  return typeof answer === 'object' && !Array.isArray(answer);
}
