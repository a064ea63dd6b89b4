/** What every mark says: `request` names the attempt to the peers, so that a repeat is the same attempt. */
interface Mark {
  readonly request: string;
  /** When it was begun or taken over last, by the clock of whoever did. */
  readonly since: number;
  /** The lease of the process that works on the step, added where it is written; {@link NOBODY}: no process does. */
  readonly owner?: string;
}

/** The owner of a step that its process has left to whoever comes next. */
export const NOBODY = 'nobody';

/** The places of a new order are being held. */
export interface CreateMark extends Mark {
  readonly step: 'create';
  /** Names the hold to the catalog; another draft of the same id and request has another one. */
  readonly hold: string;
  /** Recovery undoes the step: whoever began it must not end it any more. */
  readonly abandoned: boolean;
}
/** The order's places are being sold; of an expired order (`late`) they must be held again before. */
export interface ConfirmMark extends Mark {
  readonly step: 'confirm';
  readonly late: boolean;
  /** The payment that caused it; null for a confirmation by command. */
  readonly paymentId: string | null;
}
/** Places for more lines are being held. */
export interface LinesMark extends Mark {
  readonly step: 'lines';
  readonly quantity: number;
  readonly abandoned: boolean;
}
/** Places of removed lines are being given back. */
export interface ReleaseMark extends Mark {
  readonly step: 'release';
  readonly placeIds: readonly string[];
}
/** The hold is being moved to `until`; what causes it decides what the order becomes then. */
export interface ExtendMark extends Mark {
  readonly step: 'extend';
  readonly cause: 'extension' | 'reservation' | 'payment';
  readonly until: number;
}

/**
 * A step with an effect at a peer, between the write that begins it and the one that ends it. It is written first, so
 * that a process that dies in between leaves word of what to finish. Commands wait for it; expiry leaves it alone.
 */
export type Begun = CreateMark | ConfirmMark | LinesMark | ReleaseMark | ExtendMark;

/** Whether the step's process has left it, so that a cancellation need not wait for it. */
export const isAbandoned = ({ owner }: Pick<Mark, 'owner'>): boolean => owner === NOBODY;
