/** A unique index, or the id, is taken. `index` is the declared name, or `id`. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
  readonly index: string;
  constructor(index: string) {
    super(`unique index ${index} violated`);
    this.index = index;
  }
}

/** A write carried an idempotency key that an earlier write carries already. */
export class IdempotencyKeyTaken extends Error {
  override readonly name = 'IdempotencyKeyTaken';
}

/**
 * The engine is unreachable or exceeds the time limit: the call is valid and may be repeated later. A write that
 * rejects with it may have been executed.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
