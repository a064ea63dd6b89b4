/** A change that may break a client of the earlier release. */
export interface Finding {
  /** The subject: an operation and its part, or a fact. */
  readonly where: string;
  /** The member, as a path (`$.data.lines[].amount`), and its change. */
  readonly what: string;
}

/**
 * The direction of values. `request`: accepted values must stay accepted. `answer`: returned values must have been
 * possible before; new members are harmless, since readers ignore unknown ones.
 */
export type Direction = 'request' | 'answer';
