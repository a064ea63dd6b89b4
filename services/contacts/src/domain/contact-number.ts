/** Crockford's base 32 without the letters that are mistaken for digits: readable over the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** What a contact number looks like; orders make those of guests so. */
export const CONTACT_NUMBER = `^C[${ALPHABET}]{12}$`;

/** Whether a text is a contact number. */
export const isContactNumber = (text: string): boolean => new RegExp(CONTACT_NUMBER).test(text);

/** A contact number: `C` and 12 characters from 12 random bytes (60 bits). */
export const contactNumber = (random: Uint8Array): string => {
  if (random.length < 12) throw new RangeError('a contact number takes 12 random bytes');
  return `C${[...random.subarray(0, 12)].map((byte) => ALPHABET[byte & 31]).join('')}`;
};
