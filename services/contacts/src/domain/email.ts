/** A domain in its DNS form (IDNA) if it has non-ASCII letters; others unchanged. */
const dnsName = (domain: string): string => {
  const url = `http://${domain}`;
  return /\P{ASCII}/u.test(domain) && URL.canParse(url) ? new URL(url).hostname : domain;
};

/** Folds case and Unicode composition; a final sigma becomes a sigma. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

/**
 * The key that equal emails share: trimmed, case-insensitive (specification, section 4), also beyond ASCII (RFC 6531);
 * independent of the composition of accents, and of the form of the domain (own letters or `xn--`).
 */
export const emailKey = (email: string): string => {
  const text = email.trim();
  const domain = text.lastIndexOf('@') + 1;
  return folded(text.slice(0, domain)) + folded(dnsName(text.slice(domain)));
};

/**
 * The value of the unique index on emails. For contacts created with `allowDuplicateEmail` it includes their own
 * number, so that they never collide; they are still found by `emailKey`.
 */
export const uniqueEmail = (email: string, contactNumber: string, allowDuplicate: boolean): string =>
  allowDuplicate ? `${emailKey(email)} ${contactNumber}` : emailKey(email);
