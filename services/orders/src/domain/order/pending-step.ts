/** What every mark says: `request` names the attempt to the peers, so that a repeat is the same attempt. */
interface Step {
  readonly request: string;
  /** When it was begun or taken over last, by the clock of whoever did. */
  readonly since: number;
  /** The lease of the process that works on the step, added where it is written; {@link NO_OWNER}: no process does. */
  readonly owner?: string;
}

/** The owner of a step that its process has left to whoever comes next. */
export const NO_OWNER = 'nobody';

/** The places of a new order are being held. */
export interface CreateStep extends Step {
  readonly step: 'create';
  /** Names the hold to the catalog; another draft of the same id and request has another one. */
  readonly hold: string;
  /** Recovery undoes the step: whoever began it must not end it any more. */
  readonly abandoned: boolean;
}
/** The order's places are being sold; of an expired order (`late`) they must be held again before. */
export interface ConfirmStep extends Step {
  readonly step: 'confirm';
  readonly late: boolean;
  /** The payment that caused it; null for a confirmation by command. */
  readonly paymentId: string | null;
}
/** Places for more lines are being held. */
export interface LinesStep extends Step {
  readonly step: 'lines';
  readonly quantity: number;
  readonly abandoned: boolean;
}
/** Places of removed lines are being given back. */
export interface ReleaseStep extends Step {
  readonly step: 'release';
  readonly placeIds: readonly string[];
}
/** The hold is being moved to `until`; what causes it decides what the order becomes then. */
export interface ExtendStep extends Step {
  readonly step: 'extend';
  readonly cause: 'extension' | 'reservation' | 'payment';
  readonly until: number;
}

/**
 * A step with an effect at a peer, between the write that begins it and the one that ends it. It is written first, so
 * that a process that dies in between leaves word of what to finish. Commands wait for it; expiry leaves it alone.
 */
export type PendingStep = CreateStep | ConfirmStep | LinesStep | ReleaseStep | ExtendStep;

/** Whether the step's process has left it, so that a cancellation need not wait for it. */
export const isAbandoned = ({ owner }: Pick<Step, 'owner'>): boolean => owner === NO_OWNER;
