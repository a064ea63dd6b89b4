import { base32, derivedId, digestOf, randomId } from '@boxoffice/runtime';

export { derivedId, newId } from '@boxoffice/runtime';

/** Characters of the random part of a request's name. */
const LENGTH = 19;

/**
 * The number of the contact that is made of the guest who buys this order by this request, as contacts number theirs. A forgotten
 * contact's number is never another's.
 */
export const guestNumber = (orderId: string, requestId: string): string =>
  `C${base32(digestOf(['guest', orderId, requestId]).subarray(0, 12)).toUpperCase()}`;

/** An idempotency key in use, as far as the effect needs to know it. */
export interface Repeatable {
  readonly key: string;
  readonly fingerprint: string;
}

/** What a repeat of the request is known by; undefined if it has no idempotency key. */
export const repeatKeyOf = (stamp: Repeatable | undefined): string | undefined =>
  stamp && derivedId('req', stamp.key, stamp.fingerprint);

/** What names the request to the peers: the same for a repeat of it, and never that of another. */
export const requestNameOf = (stamp: Repeatable | undefined): string => repeatKeyOf(stamp) ?? randomId('req', LENGTH);

/** Where an order is. */
export const addressOf = (orderId: string): string => `/svc/v3/orders/${orderId}`;

/** Where a payment is. */
export const addressOfPayment = (orderId: string, paymentId: string): string =>
  `${addressOf(orderId)}/payments/${paymentId}`;
