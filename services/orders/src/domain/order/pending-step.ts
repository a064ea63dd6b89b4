/** Common to every step. `request` identifies the attempt to other services, so that a repeat is the same attempt. */
interface Step {
  readonly request: string;
  /** When the step began or was last taken over, by the clock of that process. */
  readonly since: number;
  /** The lease of the process that works on the step, set by the write; {@link NO_OWNER}: none. */
  readonly owner?: string;
}

/** The owner of a step that its process has left to recovery. */
export const NO_OWNER = 'nobody';

/** The places of a new order are being held. */
export interface CreateStep extends Step {
  readonly step: 'create';
  /** The request id of the hold in the catalog; another draft of the same id and request has a different one. */
  readonly hold: string;
  /** Recovery aborts the step: the process that began it must not complete it. */
  readonly abandoned: boolean;
}
/** The order's places are being sold; those of an expired order (`late`) must be held again before. */
export interface ConfirmStep extends Step {
  readonly step: 'confirm';
  readonly late: boolean;
  /** The payment that caused the sale; null for a confirmation by command. */
  readonly paymentId: string | null;
}
/** Places for more lines are being held. */
export interface LinesStep extends Step {
  readonly step: 'lines';
  readonly quantity: number;
  readonly abandoned: boolean;
}
/** The places of removed lines are being released. */
export interface ReleaseStep extends Step {
  readonly step: 'release';
  readonly placeIds: readonly string[];
}
/** The hold is being extended to `until`; `cause` decides the order's state after that. */
export interface ExtendStep extends Step {
  readonly step: 'extend';
  readonly cause: 'extension' | 'reservation' | 'payment';
  readonly until: number;
}

/**
 * A step with an effect in another service, between the write that begins it and the one that ends it. It is written
 * first, so that recovery can complete it if the process dies. Commands wait for it; expiry ignores the order
 * meanwhile.
 */
export type PendingStep = CreateStep | ConfirmStep | LinesStep | ReleaseStep | ExtendStep;

/** Whether the step was left to recovery, so that a cancellation need not wait for it. */
export const isAbandoned = ({ owner }: Pick<Step, 'owner'>): boolean => owner === NO_OWNER;
