import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Characters of an id after its prefix. */
const LENGTH = 19;

const letters = (bytes: Uint8Array): string => [...bytes].map((byte) => ALPHABET[byte & 31]).join('');

/** A new id: its prefix, nine characters of time so that indexes grow at their end, ten of randomness. `now` in epoch milliseconds. */
export const newId = (prefix: string, now: number): string =>
  `${prefix}_${now.toString(36).padStart(9, '0')}${letters(randomBytes(LENGTH - 9))}`;

/** The id that always follows from these parts, as unpredictable as they are. */
export const derivedId = (prefix: string, ...parts: readonly string[]): string => {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return `${prefix}_${letters(digest.subarray(0, LENGTH))}`;
};

/**
 * The number of the contact that is made of the guest who buys this order by this request, as contacts number theirs. A forgotten
 * contact's number is never another's.
 */
export const guestNumber = (orderId: string, requestId: string): string => {
  const digest = createHash('sha256')
    .update(JSON.stringify(['guest', orderId, requestId]))
    .digest();
  return `C${letters(digest.subarray(0, 12)).toUpperCase()}`;
};

/** An idempotency key in use, as far as the effect needs to know it. */
export interface Repeatable {
  readonly key: string;
  readonly fingerprint: string;
}

/** What a repeat of the request is known by; undefined if it has no idempotency key. */
export const repeatKeyOf = (stamp: Repeatable | undefined): string | undefined =>
  stamp && derivedId('req', stamp.key, stamp.fingerprint);

/** What names the request to the peers: the same for a repeat of it, and never that of another. */
export const requestNameOf = (stamp: Repeatable | undefined): string =>
  repeatKeyOf(stamp) ?? `req_${letters(randomBytes(LENGTH))}`;
