/** One status code of family A: when it is given, and with which HTTP status (specification, section 7). */
interface RegistryRow {
  readonly http: number;
  readonly status: string;
  /** `general`, or the domain whose services give the code. */
  readonly domain: string;
  readonly when: string;
}

/** The third member is the status, where the specification gives one status two HTTP codes. */
type Row = readonly [http: number, when: string, status?: string];

const rows = {
  bad_request: [400, 'malformed payload, missing or invalid required field'],
  validation_error: [400, 'bean-validation constraint violation'],
  missing_parameter: [400, 'a required parameter is absent'],
  invalid_parameter: [400, 'wrong type, format or enum value'],
  unauthorized: [401, 'missing or expired authentication token'],
  forbidden: [403, 'valid token, insufficient permission'],
  not_found: [404, 'endpoint or resource id does not exist'],
  method_not_allowed: [405, 'method not supported on the path'],
  request_timeout: [408, 'the request did not arrive completely in time'],
  conflict: [409, 'conflicts with the current state of the resource'],
  idempotency_in_progress: [
    409,
    'another request with this Idempotency-Key was first, and its answer cannot be read now',
  ],
  event_cursor_expired: [
    410,
    'events after the cursor were removed; read the resources again and start with after=start',
  ],
  precondition_failed: [412, 'precondition (for example order state) not satisfied'],
  payload_too_large: [413, 'the request body is over 256 KiB'],
  semantically_invalid: [422, 'well-formed but semantically invalid', 'validation_error'],
  idempotency_key_reused: [422, 'the Idempotency-Key was used for a different request'],
  too_many_requests: [429, 'the rate limit is used up; Retry-After says for how long'],
  headers_too_large: [431, 'the request headers are too large'],
  internal_error: [500, 'uncaught server failure'],
  not_implemented: [501, 'endpoint declared but not yet wired'],
  bad_gateway: [502, 'upstream error propagated'],
  service_unavailable: [503, 'maintenance or circuit breaker'],
  contact_duplicate_email: [
    409,
    'another contact has the same email (trimmed, case-insensitive); data carries the existing contact; bypassed with allowDuplicateEmail=true',
  ],
  api_key_quota_exceeded: [
    429,
    'the API key’s requests of this month are used up; Retry-After says how long the month lasts',
  ],
  client_last_secret: [409, 'the last secret of a client cannot be deleted'],
  client_too_many_secrets: [409, 'a client has at most two active secrets'],
  user_duplicate_login: [409, 'another user of the institution has the same login'],
  user_last_admin: [409, 'the last active admin cannot be deleted, locked or given another role'],
  user_wrong_password: [403, 'the present password is wrong'],
  product_duplicate_code: [409, 'another product has the same code'],
  product_state_conflict: [409, 'the product cannot change from its state to the requested one'],
  performance_capacity_conflict: [409, 'the capacity would fall below what is held and sold'],
  tariff_duplicate_code: [409, 'another tariff has the same code'],
  tax_duplicate_code: [409, 'another tax has the same code'],
  fee_duplicate_code: [409, 'another fee has the same code'],
  discount_duplicate_code: [409, 'the institution has one of the codes already; none was made'],
  discount_limit_conflict: [409, 'the limit would fall below what is held and used'],
  point_of_sale_duplicate_host: [409, 'another point of sale has the same service host'],
  order_places_unavailable: [409, 'not enough of the requested places are free; nothing was held'],
  order_not_on_sale: [409, 'the performance or its product is not on sale now'],
  order_total_differs: [409, 'the payment is not the total of the order; nothing was held, sold or recorded'],
  order_hold_limit: [409, 'the client would hold more unsold places than its limit'],
  order_tariff_not_sold_here: [422, 'the point of sale does not sell this tariff'],
  order_tariff_not_accessible: [422, 'the contact of the order does not meet the criterion of the tariff'],
  order_tariff_locked: [422, 'the tariff is sold only with a discount that unlocks it'],
  discount_unknown_code: [422, 'the order names a discount code that does not exist'],
  discount_limit_reached: [409, 'the order names a discount code without a use that is free'],
  discount_not_applicable: [422, 'the order names a discount code that is of no use to it'],
  order_too_many_places: [422, 'the order would have more places than its point of sale allows'],
  payment_exceeds_due: [422, 'the payment is more than is due'],
  refund_exceeds_paid: [422, 'the refunds would be more than was captured'],
  order_expired: [412, 'the hold of the order has ended: hold its places again in a new order'],
  order_cancelled: [412, 'the order is cancelled, and that is final'],
  order_confirmed: [412, 'the order is confirmed already; cancel it to undo the sale'],
  order_not_confirmed: [412, 'the order is not confirmed: confirm it or record its payment first'],
  order_unpaid: [412, 'something is due: record the payment, or confirm the order on account'],
  order_payment_pending: [412, 'the order waits for a payment: record first whether it was captured or failed'],
  order_ticket_controlled: [
    412,
    'a ticket of the order is controlled; only an override with orders.sensitive:write cancels it',
  ],
  change_not_allowed: [412, 'the return policy of a line does not allow the change, or no more'],
  change_final: [412, 'the change is done or has lapsed, and that is final'],
  change_in_progress: [409, 'another change of the order is pending'],
  change_difference_changed: [409, 'the change makes another difference than the given one; nothing was changed'],
  order_empty: [412, 'the order has no lines: add some first'],
  payment_final: [412, 'the payment is captured or has failed, and that is final'],
  payment_by_provider: [412, 'the payment is by a provider, which alone settles it'],
  payment_disputed: [409, 'the buyer disputes the payment; refund it once the dispute has ended'],
  payment_recorded: [
    412,
    'the money is recorded, the order is not confirmed or changed: refund it or try again; Location is the payment',
  ],
  ticket_not_printed: [412, 'the ticket is not printed: print it first'],
  ticket_cancelled: [412, 'the ticket is cancelled, and that is final'],
  ticket_invalidated: [412, 'another ticket has replaced this one; `replacedBy` names it'],
  ticket_not_valid_now: [412, 'the ticket is not valid at this time; details says from when until when it is'],
  ticket_unknown_barcode: [404, 'the barcode is not of this institution, or not signed by it'],
  ticket_other_performance: [409, 'the ticket is for another performance than the given one'],
  ticket_already_controlled: [409, 'the ticket was controlled before; details says when and where'],
  payment_provider_in_use: [
    409,
    'payments or refunds of the provider are pending, and the keys are of another account or mode, or would be deleted',
  ],
  webhook_too_many: [409, 'the institution has 20 webhooks already, a client with bounds 3'],
  webhook_redelivery_running: [409, 'events are being delivered again to the webhook already'],
  webhook_address_refused: [
    422,
    'the address is not https, leads into an internal network, or is the installation itself',
  ],
} as const satisfies Record<string, Row>;

export type Code = keyof typeof rows;

/** A code that begins with one of these belongs to its services. */
const DOMAINS = [
  'event',
  'contact',
  'api_key',
  'client',
  'user',
  'product',
  'performance',
  'tariff',
  'tax',
  'fee',
  'discount',
  'point_of_sale',
  'order',
  'change',
  'payment',
  'refund',
  'ticket',
  'webhook',
];

const domainOf = (code: string): string => DOMAINS.find((domain) => code.startsWith(`${domain}_`)) ?? 'general';

/** Keys differ from `status` only where the specification gives one status two HTTP codes (`validation_error`). */
export const registry = Object.fromEntries(
  Object.entries<Row>(rows).map(([code, [http, when, status = code]]) => [
    code,
    { http, status, domain: domainOf(code), when },
  ]),
) as Readonly<Record<Code, RegistryRow>>;
