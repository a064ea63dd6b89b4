import { createHash, randomBytes } from 'node:crypto';

/** Crockford's base 32, without letters that look like digits. Five bits of each byte. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export function encodeBase32(bytes: Uint8Array): string {
  return [...bytes].map((byte) => ALPHABET[byte & 31]).join('');
}

const TIME_CHARACTERS = 9;
const RANDOM_CHARACTERS = 10;

/** Sorts by age, so that indexes grow at their end: nine characters of time, ten of randomness (50 bits). */
export function createId(prefix: string, now: number): string {
  return `${prefix}_${now.toString(36).padStart(TIME_CHARACTERS, '0')}${encodeBase32(randomBytes(RANDOM_CHARACTERS))}`;
}

/** A new id that does not reveal its age: `<prefix>_` and `length` random characters, five bits each. */
export function createRandomId(prefix: string, length: number): string {
  return `${prefix}_${encodeBase32(randomBytes(length))}`;
}

export function buildIdPattern(prefix: string): string {
  return `^${prefix}_[0-9a-z]{${TIME_CHARACTERS + RANDOM_CHARACTERS},32}$`;
}

/** SHA-256 of the parts; other parts, or the same text divided otherwise, give another. */
export function computeDigest(parts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/** The id that always follows from these parts, as long as those of `createId` and as unpredictable as the parts. */
export function deriveId(prefix: string, ...parts: readonly string[]): string {
  return `${prefix}_${encodeBase32(computeDigest(parts).subarray(0, TIME_CHARACTERS + RANDOM_CHARACTERS))}`;
}
