import { computeDigest, createRandomId, deriveId, encodeBase32 } from '@boxoffice/runtime';
import type { IdempotencyRecord } from '@boxoffice/store';

export { createId, deriveId } from '@boxoffice/runtime';

/** Characters of the random part of a request id. */
const LENGTH = 19;

/**
 * The number of the contact that is created for the guest of this checkout request, in the format of contacts. It is
 * derived from the request, so it is never the number of another contact, even after an erasure.
 */
export function deriveGuestNumber(orderId: string, requestId: string): string {
  return `C${encodeBase32(computeDigest(['guest', orderId, requestId]).subarray(0, 12)).toUpperCase()}`;
}

/** Without l, 1, o and 0, which people confuse; 32 of them. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * The number of an order, for people: 8 characters that follow from the random id, so that orders of earlier releases
 * have theirs, too. `taken`: how many of its candidates other orders have; one pair in 10^12 has the same.
 */
export function deriveOrderNumber(orderId: string, taken = 0): string {
  const digest = computeDigest(taken === 0 ? ['number', orderId] : ['number', orderId, String(taken)]);
  return Array.from(digest.subarray(0, 8), (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');
}

/** The parts of an idempotency record that identify the request. */
type Repeatable = Pick<IdempotencyRecord<never>, 'key' | 'fingerprint'>;

/**
 * The id of what a request with an idempotency key makes, by which a repeat finds it; undefined without a key.
 * `prefix` says what it is: `pay`, `ref`, or `req` for a request to another service.
 */
export function deriveIdFromKey(idempotencyRecord: Repeatable | undefined, prefix: string): string | undefined {
  return idempotencyRecord && deriveId(prefix, idempotencyRecord.key, idempotencyRecord.fingerprint);
}

/** Milliseconds for which one key gives one order id: not longer than its answer is stored. */
const DAY_MS = 86_400_000;

/**
 * The id of the order that a request with an idempotency key makes; undefined without a key. Requests of one day (UTC)
 * have the same, since a key that was used on an earlier day may make another order.
 */
export function deriveOrderIdFromKey(idempotencyRecord: Repeatable | undefined, now: number): string | undefined {
  return (
    idempotencyRecord &&
    deriveId('ord', idempotencyRecord.key, idempotencyRecord.fingerprint, String(Math.floor(now / DAY_MS)))
  );
}

/** The request id sent to other services: the same for a repeat, different for every other request. */
export function createRequestId(idempotencyRecord: Repeatable | undefined): string {
  return deriveIdFromKey(idempotencyRecord, 'req') ?? createRandomId('req', LENGTH);
}

/** The path of an order. */
export function formatOrderPath(orderId: string): string {
  return `/svc/v3/orders/${orderId}`;
}

/** The path of a payment. */
export function formatPaymentPath(orderId: string, paymentId: string): string {
  return `${formatOrderPath(orderId)}/payments/${paymentId}`;
}
