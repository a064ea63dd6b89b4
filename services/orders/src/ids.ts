import { computeDigest, createRandomId, deriveId, encodeBase32 } from '@boxoffice/runtime';
import type { IdempotencyRecord } from '@boxoffice/store';

export { createId, deriveId } from '@boxoffice/runtime';

const LENGTH = 19;

/** Derived from the checkout request, so it is never the number of another contact, even after an erasure. */
export function deriveGuestNumber(orderId: string, requestId: string): string {
  return `C${encodeBase32(computeDigest(['guest', orderId, requestId]).subarray(0, 12)).toUpperCase()}`;
}

/** Without l, 1, o and 0, which people confuse. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Orders of earlier releases have theirs, too. `taken`: how many of its candidates other orders have. */
export function deriveOrderNumber(orderId: string, taken = 0): string {
  const digest = computeDigest(taken === 0 ? ['number', orderId] : ['number', orderId, String(taken)]);
  return Array.from(digest.subarray(0, 8), (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');
}

type Repeatable = Pick<IdempotencyRecord<never>, 'key' | 'fingerprint'>;

/** Undefined without a key. `prefix`: `pay`, `ref`, or `req` for a request to another service. */
export function deriveIdFromKey(idempotencyRecord: Repeatable | undefined, prefix: string): string | undefined {
  return idempotencyRecord && deriveId(prefix, idempotencyRecord.key, idempotencyRecord.fingerprint);
}

/** One key gives one order id not longer than its answer is stored. */
const DAY_MS = 86_400_000;

/** Undefined without a key. The same within a day (UTC): a key of an earlier day may make another order. */
export function deriveOrderIdFromKey(idempotencyRecord: Repeatable | undefined, now: number): string | undefined {
  return (
    idempotencyRecord &&
    deriveId('ord', idempotencyRecord.key, idempotencyRecord.fingerprint, String(Math.floor(now / DAY_MS)))
  );
}

/**
 * The id of an order sold in one call with this key, the nth of the key: a key may make another order a day later. It
 * follows from the key alone, so that two requests with one key meet.
 */
export function deriveSoldOrderId({ key }: Repeatable, nth: number): string {
  return deriveId('ord', 'sold', key, String(nth));
}

/** The same for a repeat, different for every other request. */
export function createRequestId(idempotencyRecord: Repeatable | undefined): string {
  return deriveIdFromKey(idempotencyRecord, 'req') ?? createRandomId('req', LENGTH);
}

export function formatOrderPath(orderId: string): string {
  return `/svc/v3/orders/${orderId}`;
}

export function formatPaymentPath(orderId: string, paymentId: string): string {
  return `${formatOrderPath(orderId)}/payments/${paymentId}`;
}
