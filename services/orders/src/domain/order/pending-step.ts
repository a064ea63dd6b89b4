/** Common to every step. `request` identifies the attempt to other services, so that a repeat is the same attempt. */
interface Step {
  readonly request: string;
  /** Epoch milliseconds by that process's clock: when the step began, or was last resumed or taken over. */
  readonly since: number;
  /** Id of the owner's lease, set when the step is written. {@link NO_OWNER} or absent: recovery may take it over. */
  readonly owner?: string;
}

/** The owner of a step that its process has left to recovery. */
export const NO_OWNER = 'nobody';

/**
 * Why a step that holds places was abandoned, so that no process completes it and its places are released: its process
 * failed or died, or the performance was cancelled.
 */
export type Abandoned = 'failed' | 'not_on_sale';

/** The places of a new order are being held. */
export interface CreateStep extends Step {
  readonly step: 'create';
  /**
   * The request id sent to the catalog. Each draft has its own, so that its hold is not mistaken for that of an earlier
   * draft with the same order id and request.
   */
  readonly hold: string;
  /** Null while the step may be completed. */
  readonly abandoned: Abandoned | null;
}
/** The order's places are being sold. */
export interface ConfirmStep extends Step {
  readonly step: 'confirm';
  /** The order had expired, so its places are held again before they are sold. */
  readonly late: boolean;
  /** The payment that caused the sale; null for a confirmation by command. */
  readonly paymentId: string | null;
}
/** Places for more lines are being held. */
export interface LinesStep extends Step {
  readonly step: 'lines';
  /** The number of places. */
  readonly quantity: number;
  /** As in {@link CreateStep}. */
  readonly abandoned: Abandoned | null;
}
/** The places of removed lines are being released. */
export interface ReleaseStep extends Step {
  readonly step: 'release';
  readonly placeIds: readonly string[];
}
/** The hold is being extended; `cause` decides the order's state after that. */
export interface ExtendStep extends Step {
  readonly step: 'extend';
  readonly cause: 'extension' | 'reservation' | 'payment';
  /** Epoch milliseconds. */
  readonly until: number;
}

/**
 * A step with an effect in another service, between the write that begins it and the one that ends it. It is written
 * first, so that recovery can complete it if the process dies. Other commands wait briefly, then are refused as `busy`;
 * a cancellation waits for some steps only (`mustWait` in `domain/cancellation.ts`), a refund only for a sale. Expiry
 * ignores the order meanwhile.
 */
export type PendingStep = CreateStep | ConfirmStep | LinesStep | ReleaseStep | ExtendStep;

/** Whether its process left the step to recovery, so that a cancellation need not wait for it. */
export const isLeftToRecovery = ({ owner }: Pick<Step, 'owner'>): boolean => owner === NO_OWNER;

/** Whether the step was abandoned: no repeat of its request resumes it. */
export const isAbandoned = (step: PendingStep): boolean => 'abandoned' in step && step.abandoned !== null;

/** Abandons a step that holds places, unless it already is; other steps stay. */
export const abandon = (step: PendingStep, why: Abandoned): PendingStep =>
  'abandoned' in step && step.abandoned === null ? { ...step, abandoned: why } : step;
