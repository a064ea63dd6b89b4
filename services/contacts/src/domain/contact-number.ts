/** Crockford's base 32: no letters that can be mistaken for digits, so a number can be read out on the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The pattern of a contact number; the orders service makes numbers of guests in this form. */
export const CONTACT_NUMBER = `^C[${ALPHABET}]{12}$`;

/** Whether a text is a contact number. */
export const isContactNumber = (text: string): boolean => new RegExp(CONTACT_NUMBER).test(text);

/** A contact number: `C` and 12 characters from 12 random bytes (60 bits). */
export const contactNumber = (random: Uint8Array): string => {
  if (random.length < 12) throw new RangeError('a contact number takes 12 random bytes');
  return `C${[...random.subarray(0, 12)].map((byte) => ALPHABET[byte & 31]).join('')}`;
};
