import { Fault, type FaultHeaders } from './fault.ts';
import { type PosCode, posRegistry } from './pos-registry.ts';
import { type Code, registry } from './registry.ts';

/** A 2xx answer of family B (specification, section 2). */
export interface PosSuccess<Data> {
  readonly success: true;
  readonly data: Data;
}

/** An error of family B (specification, section 7; names: docs/decisions.md). */
export interface PosFailure {
  readonly success: false;
  readonly errorCode: string;
  readonly errorMessage: string;
  /** On every 500: whether the user was logged out. */
  readonly userLoggedOut?: boolean;
  /** On every 500: whether the order was cancelled, durably. */
  readonly orderCancelled?: boolean;
}

/** The consequences of an unforeseen error; both are reported only once they are durable. */
export interface Consequences {
  readonly userLoggedOut: boolean;
  readonly orderCancelled: boolean;
}

const NONE: Consequences = { userLoggedOut: false, orderCancelled: false };

/** The nearest code of family A, for code that handles faults of any family. */
const nearest: Readonly<Record<number, Code>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'internal_error',
};

/** A refusal of the point-of-sale service. */
export class PosFault extends Fault {
  readonly errorCode: PosCode;
  readonly consequences: Consequences;

  constructor(errorCode: PosCode, message: string, more: { headers?: FaultHeaders; consequences?: Consequences } = {}) {
    super(nearest[posRegistry[errorCode].http] ?? 'bad_request', message, more.headers);
    this.errorCode = errorCode;
    this.consequences = more.consequences ?? NONE;
  }

  override get http(): number {
    return posRegistry[this.errorCode].http;
  }
}

/** An unforeseen error with consequences for the visitor: a 500 that reports them. `cause` is for the log. */
export const unforeseen = (cause: unknown, consequences: Consequences): PosFault => {
  const fault = new PosFault('internal_error', UNEXPECTED, { consequences });
  fault.cause = cause;
  return fault;
};

const UNEXPECTED = 'An unexpected error occurred. The log has it under the request id.';

/** Builds the body of a 2xx answer of family B. */
export const posSuccess = <Data extends object | null>(data: Data): PosSuccess<Data> => ({ success: true, data });

/** The family B shape of a fault; one that arose outside the point-of-sale service touched no session and no order. */
export const posFailure = (fault: Pick<Fault, 'code' | 'details' | 'http'>): PosFailure => {
  const isOwn = fault instanceof PosFault;
  return {
    success: false,
    errorCode: isOwn ? fault.errorCode : registry[fault.code].status,
    errorMessage: fault.details,
    ...(fault.http === 500 ? (isOwn ? fault.consequences : NONE) : {}),
  };
};
