import { domainToASCII } from 'node:url';

/** Unicode's white space; JavaScript's does not have U+0085. */
const WHITE_SPACE = /[\s\u0085]/;

/** Nothing that a reader sees: white space, what Unicode says to draw nothing for, and blank letters. */
const BLANK = /^[\s\u0085\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1D159}]*$/u;

/** More combining marks in a row than the Stream-Safe Text Format allows (Unicode Standard Annex 15, 13). */
const MANY_MARKS = /\p{M}{31}/u;

/** Composing takes quadratic time for a run of marks: a longer text with such a run, in no language, stays as it is. */
const SHORT = 1_000;

/** The one spelling of a text of one line: trimmed, in Unicode NFC; empty if a reader sees nothing. */
export function normaliseLine(text: string): string {
  const trim = trimWhitespace(text);
  if (BLANK.test(trim)) return '';
  return trim.length <= SHORT || !MANY_MARKS.test(trim) ? trim.normalize('NFC') : trim;
}

/** Without white space at both ends. Takes linear time. */
const trimWhitespace = (text: string): string => {
  let [start, end] = [0, text.length];
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start += 1;
  while (start < end && WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
};

/** The same where an empty text means none: a blank one becomes a space, so that it can be told apart and refused. */
export function normaliseLineOrEmpty(text: string): string {
  return text === '' ? '' : normaliseLine(text) || ' ';
}

/** The same of a text of several lines, which end with a line feed. */
export function normaliseLines(text: string): string {
  return normaliseLine(text).replaceAll(/\r\n?/g, '\n');
}

const ORIGIN = /^https?:\/\/[A-Za-z0-9._:[\]-]+$/;

/** As browsers send it (RFC 6454, 6.2). Empty if no URL has such a host: some Node versions refuse malformed `xn--`. */
export function normaliseOrigin(text: string): string {
  if (!ORIGIN.test(text)) return text;
  return URL.canParse(text) ? new URL(text).origin : '';
}

/** Of an address of https, as a browser writes it. */
export function normaliseHost(text: string): string {
  const origin = normaliseOrigin(`https://${text}`);
  return origin.startsWith('https://') ? origin.slice('https://'.length) : origin;
}

/** A character of a local part: RFC 5322's of atoms, and with RFC 6531 every visible character outside ASCII. */
const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\\p{ASCII}\\p{C}\\p{Z}]";
/** Beyond RFC 5322, dots may follow each other and precede the @: Japanese carriers gave out such addresses. */
const LOCAL_PART = new RegExp(`^(?:${ATEXT})(?:${ATEXT}|\\.)*$`, 'u');

/** Labels of RFC 1123, at least two of them. */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`, 'i');

const ASCII = /^\p{ASCII}*$/u;
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** RFC 5321, 4.5.3.1, in octets. The whole is a path (256) without its brackets. */
const MOST = { whole: 254, localPart: 64, domain: 255 };

/** RFC 6531, with more dots than RFC 5322 allows; no quoted local parts, no address literals. Takes linear time. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at <= 0 || !fits(text, MOST.whole)) return false;
  const localPart = text.slice(0, at);
  const domain = asciiDomain(text.slice(at + 1));
  return (
    fits(localPart, MOST.localPart) && LOCAL_PART.test(localPart) && fits(domain, MOST.domain) && DOMAIN.test(domain)
  );
}

const fits = (text: string, octets: number): boolean => Buffer.byteLength(text) <= octets;

/** The ASCII form of a domain (IDNA, UTS 46, where it has other characters). Empty if it is not a domain. */
const asciiDomain = (domain: string): string => {
  if (ASCII.test(domain)) return domain;
  return INVISIBLE.test(domain) ? '' : domainToASCII(domain);
};
