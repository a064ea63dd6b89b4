/** One status code of family A: when it is given, and with which HTTP status (specification, section 7). */
export interface RegistryRow {
  readonly http: number;
  readonly status: string;
  /** `general`, or the domain whose services give the code. */
  readonly domain: string;
  readonly when: string;
}

const row = (http: number, status: string, domain: string, when: string): RegistryRow => ({
  http,
  status,
  domain,
  when,
});

/**
 * Every status code that the product can answer. The key is what code throws; it differs from `status`
 * only where the specification gives one status two HTTP codes (`validation_error` is 400 and 422).
 * `GET /errors` and the OpenAPI documents are made from this table.
 */
export const registry = {
  bad_request: row(400, 'bad_request', 'general', 'malformed payload, missing or invalid required field'),
  validation_error: row(400, 'validation_error', 'general', 'bean-validation constraint violation'),
  missing_parameter: row(400, 'missing_parameter', 'general', 'a required parameter is absent'),
  invalid_parameter: row(400, 'invalid_parameter', 'general', 'wrong type, format or enum value'),
  unauthorized: row(401, 'unauthorized', 'general', 'missing or expired authentication token'),
  forbidden: row(403, 'forbidden', 'general', 'valid token, insufficient permission'),
  not_found: row(404, 'not_found', 'general', 'endpoint or resource id does not exist'),
  method_not_allowed: row(405, 'method_not_allowed', 'general', 'method not supported on the path'),
  request_timeout: row(408, 'request_timeout', 'general', 'the request did not arrive completely in time'),
  conflict: row(409, 'conflict', 'general', 'conflicts with the current state of the resource'),
  idempotency_in_progress: row(
    409,
    'idempotency_in_progress',
    'general',
    'another request with this Idempotency-Key was first, and its answer cannot be read now',
  ),
  event_cursor_expired: row(
    410,
    'event_cursor_expired',
    'event',
    'events after the cursor were removed; read the resources again and start with after=start',
  ),
  precondition_failed: row(
    412,
    'precondition_failed',
    'general',
    'precondition (for example order state) not satisfied',
  ),
  payload_too_large: row(413, 'payload_too_large', 'general', 'the request body is over 256 KiB'),
  semantically_invalid: row(422, 'validation_error', 'general', 'well-formed but semantically invalid'),
  idempotency_key_reused: row(
    422,
    'idempotency_key_reused',
    'general',
    'the Idempotency-Key was used for a different request',
  ),
  too_many_requests: row(
    429,
    'too_many_requests',
    'general',
    'the rate limit is used up; Retry-After says for how long',
  ),
  headers_too_large: row(431, 'headers_too_large', 'general', 'the request headers are too large'),
  internal_error: row(500, 'internal_error', 'general', 'uncaught server failure'),
  not_implemented: row(501, 'not_implemented', 'general', 'endpoint declared but not yet wired'),
  bad_gateway: row(502, 'bad_gateway', 'general', 'upstream error propagated'),
  service_unavailable: row(503, 'service_unavailable', 'general', 'maintenance or circuit breaker'),
  contact_duplicate_email: row(
    409,
    'contact_duplicate_email',
    'contact',
    'another contact has the same email (trimmed, case-insensitive); data carries the existing contact; bypassed with allowDuplicateEmail=true',
  ),
  api_key_quota_exceeded: row(
    429,
    'api_key_quota_exceeded',
    'api_key',
    'the API key’s requests of this month are used up; Retry-After says how long the month lasts',
  ),
  client_last_secret: row(409, 'client_last_secret', 'client', 'the last secret of a client cannot be deleted'),
  client_too_many_secrets: row(409, 'client_too_many_secrets', 'client', 'a client has at most two active secrets'),
  user_duplicate_login: row(409, 'user_duplicate_login', 'user', 'another user of the institution has the same login'),
  user_last_admin: row(
    409,
    'user_last_admin',
    'user',
    'the last active admin cannot be deleted, locked or given another role',
  ),
  user_wrong_password: row(403, 'user_wrong_password', 'user', 'the present password is wrong'),
  product_duplicate_code: row(409, 'product_duplicate_code', 'product', 'another product has the same code'),
  product_state_conflict: row(
    409,
    'product_state_conflict',
    'product',
    'the product cannot change from its state to the requested one',
  ),
  performance_capacity_conflict: row(
    409,
    'performance_capacity_conflict',
    'performance',
    'the capacity would fall below what is held and sold',
  ),
  tariff_duplicate_code: row(409, 'tariff_duplicate_code', 'tariff', 'another tariff has the same code'),
  point_of_sale_duplicate_host: row(
    409,
    'point_of_sale_duplicate_host',
    'point_of_sale',
    'another point of sale has the same service host',
  ),
  order_places_unavailable: row(
    409,
    'order_places_unavailable',
    'order',
    'not enough of the requested places are free; nothing was held',
  ),
  order_not_on_sale: row(409, 'order_not_on_sale', 'order', 'the performance or its product is not on sale now'),
  order_hold_limit: row(409, 'order_hold_limit', 'order', 'the client would hold more unsold places than its limit'),
  order_tariff_not_sold_here: row(
    422,
    'order_tariff_not_sold_here',
    'order',
    'the point of sale does not sell this tariff',
  ),
  order_tariff_not_accessible: row(
    422,
    'order_tariff_not_accessible',
    'order',
    'the contact of the order does not meet the criterion of the tariff',
  ),
  order_too_many_places: row(
    422,
    'order_too_many_places',
    'order',
    'the order would have more places than its point of sale allows',
  ),
  payment_exceeds_due: row(422, 'payment_exceeds_due', 'payment', 'the payment is more than is due'),
  refund_exceeds_paid: row(422, 'refund_exceeds_paid', 'refund', 'the refunds would be more than was captured'),
  order_expired: row(
    412,
    'order_expired',
    'order',
    'the hold of the order has ended: hold its places again in a new order',
  ),
  order_cancelled: row(412, 'order_cancelled', 'order', 'the order is cancelled, and that is final'),
  order_confirmed: row(412, 'order_confirmed', 'order', 'the order is confirmed already; cancel it to undo the sale'),
  order_not_confirmed: row(
    412,
    'order_not_confirmed',
    'order',
    'the order is not confirmed: confirm it or record its payment first',
  ),
  order_unpaid: row(
    412,
    'order_unpaid',
    'order',
    'something is due: record the payment, or confirm the order on account',
  ),
  order_payment_pending: row(
    412,
    'order_payment_pending',
    'order',
    'the order waits for a payment: record first whether it was captured or failed',
  ),
  order_ticket_controlled: row(
    412,
    'order_ticket_controlled',
    'order',
    'a ticket of the order is controlled; only an override with orders.sensitive:write cancels it',
  ),
  order_empty: row(412, 'order_empty', 'order', 'the order has no lines: add some first'),
  payment_final: row(412, 'payment_final', 'payment', 'the payment is captured or has failed, and that is final'),
  payment_recorded: row(
    412,
    'payment_recorded',
    'payment',
    'the money is recorded, the order is not confirmed: refund it or try again; Location is the payment',
  ),
  ticket_not_printed: row(412, 'ticket_not_printed', 'ticket', 'the ticket is not printed: print it first'),
  ticket_cancelled: row(412, 'ticket_cancelled', 'ticket', 'the ticket is cancelled, and that is final'),
  ticket_invalidated: row(
    412,
    'ticket_invalidated',
    'ticket',
    'another ticket has replaced this one; `replacedBy` names it',
  ),
  ticket_unknown_barcode: row(
    404,
    'ticket_unknown_barcode',
    'ticket',
    'the barcode is not of this institution, or not signed by it',
  ),
  ticket_other_performance: row(
    409,
    'ticket_other_performance',
    'ticket',
    'the ticket is for another performance than the given one',
  ),
  ticket_already_controlled: row(
    409,
    'ticket_already_controlled',
    'ticket',
    'the ticket was controlled before; details says when and where',
  ),
  webhook_too_many: row(409, 'webhook_too_many', 'webhook', 'the institution has 20 webhooks already'),
  webhook_redelivery_running: row(
    409,
    'webhook_redelivery_running',
    'webhook',
    'events are being delivered again to the webhook already',
  ),
  webhook_address_refused: row(
    422,
    'webhook_address_refused',
    'webhook',
    'the address is not https, leads into an internal network, or is the installation itself',
  ),
} as const satisfies Record<string, RegistryRow>;

/** What code throws: a key of the registry. */
export type Code = keyof typeof registry;
