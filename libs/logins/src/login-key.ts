/** The stored form of a login at a point of sale: normalised (NFKC), trimmed, in lower case. */
export const loginKey = (login: string): string => login.normalize('NFKC').trim().toLowerCase();

/** A domain in its DNS form (IDNA) if it has non-ASCII letters; others unchanged. */
const dnsName = (domain: string): string => {
  const url = `http://${domain}`;
  return /\P{ASCII}/u.test(domain) && URL.canParse(url) ? new URL(url).hostname : domain;
};

/** Folds case and Unicode composition; a final sigma becomes a sigma. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

/**
 * The key that equal logins share if they are emails (RFC 6531): a domain in its own letters and as `xn--` are one. What
 * contacts count as one email is one login. Of an ASCII login it is {@link loginKey}.
 */
export const emailLoginKey = (login: string): string => {
  const text = login.normalize('NFKC').trim();
  const domain = text.lastIndexOf('@') + 1;
  return folded(text.slice(0, domain)) + folded(dnsName(text.slice(domain)));
};
