/** An email as it is stored: without white space around it. */
export const trimmed = (email: string): string => email.trim();

/** What two emails have in common when they are the same: trimmed, case-insensitive (specification, section 4). */
export const emailKey = (email: string): string => email.trim().toLowerCase();

/**
 * The value of the unique index that keeps emails apart. Contacts created with `allowDuplicateEmail` carry their own
 * number in it, so that they never collide, and are still found by `emailKey`.
 */
export const uniqueEmail = (email: string, contactNumber: string, allowDuplicate: boolean): string =>
  allowDuplicate ? `${emailKey(email)} ${contactNumber}` : emailKey(email);
