/** One thing that somebody who knows the earlier release may trip over. */
export interface Finding {
  /** What it is about: an operation and its part, or a fact. */
  readonly where: string;
  /** The member, as a path (`$.data.lines[].amount`), and what became of it. */
  readonly what: string;
}

/**
 * Which way values go. `request`: what was accepted must still be accepted. `answer`: what may be given now must have been possible
 * before; members that were not known are harmless, since readers ignore what they do not know.
 */
export type Direction = 'request' | 'answer';
