import type { Fault } from './fault.ts';
import { registry } from './registry.ts';

/** An error of family B (specification, section 7; names decided in the README). */
export interface PosFailure {
  readonly success: false;
  readonly errorCode: string;
  readonly errorMessage: string;
  /** On every 500: whether the user was logged out. */
  readonly userLoggedOut?: boolean;
  /** On every 500: whether the order was cancelled, durably. */
  readonly orderCancelled?: boolean;
}

/** The family B shape of a fault that arises outside the point-of-sale service, where no session and no order is touched. */
export const posFailure = (fault: Pick<Fault, 'code' | 'details' | 'http'>): PosFailure => ({
  success: false,
  errorCode: registry[fault.code].status,
  errorMessage: fault.details,
  ...(fault.http === 500 ? { userLoggedOut: false, orderCancelled: false } : {}),
});
