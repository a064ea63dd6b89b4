import { domainToASCII } from 'node:url';

/** An atom of a local part: RFC 5322's characters, and with RFC 6531 whatever is not ASCII and can be seen. */
const ATOM = "(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\\p{ASCII}\\p{C}\\p{Z}])+";
const LOCAL_PART = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u');

/** Labels of RFC 1123, at least two of them. */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`, 'i');

const ASCII = /^\p{ASCII}*$/u;
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** A domain in letters, digits and hyphens; one with other letters by IDNA (UTS 46). Empty if it is none. */
const asciiDomain = (domain: string): string => {
  if (ASCII.test(domain)) return domain;
  return INVISIBLE.test(domain) ? '' : domainToASCII(domain);
};

/**
 * Whether a text is an email address, an internationalised one included (RFC 6531): local parts are dot-atoms, domains
 * have at least two labels. No quoted local parts and no address literals. Takes linear time.
 */
export const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  return at > 0 && LOCAL_PART.test(text.slice(0, at)) && DOMAIN.test(asciiDomain(text.slice(at + 1)));
};
