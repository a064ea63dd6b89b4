import { domainToASCII } from 'node:url';

/** A character of a local part: RFC 5322's of atoms, and with RFC 6531 every visible character outside ASCII. */
const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\\p{ASCII}\\p{C}\\p{Z}]";
/** Beyond RFC 5322, dots may follow each other and precede the @: Japanese carriers gave out such addresses. */
const LOCAL_PART = new RegExp(`^(?:${ATEXT})(?:${ATEXT}|\\.)*$`, 'u');

/** Labels of RFC 1123, at least two of them. */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`, 'i');

const ASCII = /^\p{ASCII}*$/u;
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** The ASCII form of a domain (IDNA, UTS 46, where it has other characters). Empty if it is not a domain. */
const asciiDomain = (domain: string): string => {
  if (ASCII.test(domain)) return domain;
  return INVISIBLE.test(domain) ? '' : domainToASCII(domain);
};

/** RFC 5321, 4.5.3.1, in octets. The whole is a path (256) without its brackets. */
const MOST = { whole: 254, localPart: 64, domain: 255 };

const fits = (text: string, octets: number): boolean => Buffer.byteLength(text) <= octets;

/**
 * Whether a text is an email address, an internationalised one included (RFC 6531): local parts are dot-atoms, or have
 * more dots after the first character; domains have at least two labels. No quoted local parts and no address literals.
 * The lengths of RFC 5321 are octets of UTF-8; a domain must have its own as DNS has it (`xn--`), too. Takes linear
 * time.
 */
export const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  if (at <= 0 || !fits(text, MOST.whole)) return false;
  const localPart = text.slice(0, at);
  const domain = asciiDomain(text.slice(at + 1));
  return (
    fits(localPart, MOST.localPart) && LOCAL_PART.test(localPart) && fits(domain, MOST.domain) && DOMAIN.test(domain)
  );
};
