/** An email as it is stored: without white space around it. */
export const trimmed = (email: string): string => email.trim();

/** A domain with other letters than ASCII's in the form that DNS knows (IDNA); any other as it is. */
const dnsName = (domain: string): string => {
  const url = `http://${domain}`;
  return /\P{ASCII}/u.test(domain) && URL.canParse(url) ? new URL(url).hostname : domain;
};

/** A text whose case and composition do not matter. A final sigma is a sigma. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

/**
 * What two emails have in common when they are the same: trimmed, case-insensitive (specification, section 4), also
 * beyond ASCII (RFC 6531); however accents are composed, and whether the domain is written in its own letters or in
 * the `xn--` form of them.
 */
export const emailKey = (email: string): string => {
  const text = email.trim();
  const domain = text.lastIndexOf('@') + 1;
  return folded(text.slice(0, domain)) + folded(dnsName(text.slice(domain)));
};

/**
 * The value of the unique index that keeps emails apart. Contacts created with `allowDuplicateEmail` carry their own
 * number in it, so that they never collide, and are still found by `emailKey`.
 */
export const uniqueEmail = (email: string, contactNumber: string, allowDuplicate: boolean): string =>
  allowDuplicate ? `${emailKey(email)} ${contactNumber}` : emailKey(email);
