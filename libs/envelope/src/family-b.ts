import { Fault, type FaultHeaders } from './envelope.ts';
import { type Code, registry } from './registry.ts';

/** One error code of family B: its HTTP status (specification, section 7), and when it is given. */
interface PosRow {
  readonly http: number;
  readonly status: string;
  readonly when: string;
}

const rows = {
  bad_request: [400, 'malformed body, a required field absent, or a field of the wrong type'],
  validation_error: [400, 'a field of the body breaks a constraint'],
  missing_parameter: [400, 'a required parameter is absent'],
  invalid_parameter: [400, 'a parameter has the wrong type, format or value'],
  invalid_reference: [400, 'an id in the body is not known'],
  context_missing: [400, 'the header X-Service-Host is absent'],
  context_invalid: [400, 'X-Service-Host names no point of sale'],
  idempotency_key_reused: [400, 'the Idempotency-Key was used for a different request'],
  idempotency_in_progress: [
    400,
    'another request with this Idempotency-Key was first, and its answer cannot be read now',
  ],
  cart_empty: [400, 'there is nothing in the shopping cart'],
  cart_expired: [400, 'the places of the shopping cart are no longer held; the next item starts a new cart'],
  cart_places_unavailable: [400, 'not enough of the requested places are free; the cart is unchanged'],
  cart_not_on_sale: [400, 'the performance or its product is not on sale now'],
  cart_too_many_places: [400, 'the cart would have more places than the point of sale allows'],
  cart_hold_limit: [400, 'this login, or without one this address, would hold more unsold places than its limit'],
  discount_unknown_code: [400, 'no discount has the code; the cart is unchanged'],
  discount_limit_reached: [400, 'the code has no use that is free; the cart is unchanged'],
  discount_not_applicable: [400, 'the code is not valid now; the cart is unchanged'],
  order_busy: [400, 'another request is changing the same cart or order; try again in a second'],
  order_not_cancellable: [
    400,
    'the order is not live, has a controlled ticket or a return policy, or its first performance has started',
  ],
  order_not_changeable: [
    400,
    'the order is not confirmed, a line may not leave it any more, its ticket is controlled, or the change has ended',
  ],
  change_in_progress: [400, 'a change of the order waits for its payment'],
  change_difference_changed: [400, 'the change costs another amount than the given difference; nothing was changed'],
  order_places_unavailable: [400, 'not enough of the new places are free; nothing was changed'],
  order_not_on_sale: [400, 'the performance of a new place, or its product, is not on sale now'],
  order_not_payable: [400, 'the order is paid, has ended, or was checked out more than three hours ago'],
  contact_required: [400, 'the order has neither a contact number nor a guest’s contact'],
  payment_method_not_accepted: [400, 'the point of sale does not take this method of payment'],
  invalid_return_url: [400, 'the buyer may not be sent back there after the payment'],
  terms_required: [400, 'the point of sale asks buyers to accept its terms'],
  payment_amount_too_small: [400, 'the amount is below the minimum of the payment provider; the cart is unchanged'],
  payment_unavailable: [400, 'the payment provider is away, paused or refuses; the cart is unchanged'],
  payment_declined: [400, 'the payment was declined; the cart is unchanged'],
  ticket_not_printed: [400, 'the ticket is not printed, so there is no document of it yet'],
  ticket_not_changeable: [400, 'the ticket was used, cancelled or replaced'],
  session_required: [401, 'the request needs the header X-auth-token'],
  session_invalid: [401, 'the session is unknown or has ended'],
  login_required: [401, 'the session has no logged-in user'],
  login_failed: [401, 'the login or the password is wrong'],
  origin_not_allowed: [403, 'the point of sale does not allow the Origin of the request'],
  contact_not_accessible: [403, 'the contact is not the one of the logged-in user'],
  tariff_not_accessible: [
    403,
    'the contact does not meet the criterion of the tariff, nothing unlocks it, or the buyer has not the discounts of the cart',
  ],
  payment_method_not_accessible: [403, 'the contact does not meet the criterion of the payment method'],
  not_found: [404, 'the endpoint or the resource does not exist'],
  method_not_allowed: [405, 'method not supported on the path'],
  request_timeout: [408, 'the request did not arrive completely in time'],
  payload_too_large: [413, 'the request body is over 256 KiB'],
  unsupported_media_type: [415, 'Content-Type is absent or not application/json in UTF-8'],
  too_many_requests: [429, 'too many requests or attempts; Retry-After says how long to wait'],
  headers_too_large: [431, 'the request headers are too large'],
  internal_error: [
    500,
    'unforeseen server error, or an unavailable dependency; userLoggedOut and orderCancelled report the consequences for the visitor; Retry-After is set where a retry can help',
  ],
} as const satisfies Record<string, readonly [number, string]>;

export type PosCode = keyof typeof rows;

export const posRegistry = Object.fromEntries(
  Object.entries(rows).map(([status, [http, when]]) => [status, { http, status, when }]),
) as Readonly<Record<PosCode, PosRow>>;

/** A 2xx answer of family B (specification, section 2). */
interface PosSuccess<Data> {
  readonly success: true;
  readonly data: Data;
}

/** An error of family B (specification, section 7; names: docs/decisions/point-of-sale.md). */
interface PosFailure {
  readonly success: false;
  readonly errorCode: string;
  readonly errorMessage: string;
  /** On every 500: whether the user was logged out. */
  readonly userLoggedOut?: boolean;
  /** On every 500: whether the order was cancelled, durably. */
  readonly orderCancelled?: boolean;
}

/** The consequences of an unforeseen error; both are reported only once they are durable. */
interface Consequences {
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
export function createUnforeseenFault(cause: unknown, consequences: Consequences): PosFault {
  const fault = new PosFault('internal_error', UNEXPECTED, { consequences });
  fault.cause = cause;
  return fault;
}

const UNEXPECTED = 'An unexpected error occurred. The log has it under the request id.';

export function buildPosSuccess<Data extends object | null>(data: Data): PosSuccess<Data> {
  return { success: true, data };
}

/** The family B shape of a fault; one that arose outside the point-of-sale service touched no session and no order. */
export function toPosFailure(fault: Pick<Fault, 'code' | 'details' | 'http'>): PosFailure {
  const isOwn = fault instanceof PosFault;
  return {
    success: false,
    errorCode: isOwn ? fault.errorCode : registry[fault.code].status,
    errorMessage: fault.details,
    ...(fault.http === 500 ? (isOwn ? fault.consequences : NONE) : {}),
  };
}
