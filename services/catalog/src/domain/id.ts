const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Bytes of randomness that an id takes. */
export const ID_BYTES = 10;

/**
 * A new id: a prefix that says what it names, nine characters of time (so that ids sort by age and indexes grow at their
 * end), ten of randomness. `now` in epoch milliseconds.
 */
export const newId = (prefix: string, now: number, random: Uint8Array): string => {
  if (random.length < ID_BYTES) throw new RangeError(`an id takes ${ID_BYTES} random bytes`);
  const tail = [...random.subarray(0, ID_BYTES)].map((byte) => ALPHABET[byte & 31]).join('');
  return `${prefix}_${now.toString(36).padStart(9, '0')}${tail}`;
};
