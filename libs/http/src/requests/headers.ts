import { Fault } from '@boxoffice/envelope';

/** More members than these are not read. */
const MAX_MEMBERS = 50;

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Those of an Accept, Accept-Encoding or Accept-Language (RFC 9110, 12.4.2), best first. A malformed quality is 0. */
export function parseQualities(header = ''): { readonly name: string; readonly quality: number }[] {
  return header
    .split(',', MAX_MEMBERS)
    .map((member) => {
      const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase());
      const given = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
      return { name, quality: given === undefined ? 1 : QUALITY.test(given) ? Number(given) : 0 };
    })
    .filter(({ name }) => name !== '')
    .toSorted((a, b) => b.quality - a.quality);
}

/** The quality that it gives what it names, or else names by `any`; 0 if it does neither. */
export function parseQuality(header: string | undefined, name: string, any?: string): number {
  const members = parseQualities(header);
  const found = members.find((one) => one.name === name) ?? members.find((one) => one.name === any);
  return found?.quality ?? 0;
}

const TAGS = /(?:W\/)?"[^"]*"/g;

/** What a proxy that compresses an answer adds to its tag: Apache, Caddy and Jetty do; others make the tag weak. */
const CODING = /(?:--?|;)(?:gzip|br|zstd|deflate)$/;

/** Whether an If-None-Match names the validator, a tag with its quotes (RFC 9110, 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch !== undefined && isNamed(ifNoneMatch, opaque(tag));
}

/** Our tags are strong: a weak one, or one with the name of a coding, is what a proxy has made of it. */
const isNamed = (condition: string, etag: string): boolean =>
  condition.trim() === '*' || tagsIn(condition).some((tag) => formsOf(tag).includes(etag));

const tagsIn = (header: string): readonly string[] => header.match(TAGS) ?? [];

const formsOf = (tag: string): readonly string[] => {
  const forms = [opaque(tag)];
  for (let last = forms[0] ?? ''; CODING.test(last); forms.push(last)) last = last.replace(CODING, '');
  return forms;
};

const opaque = (tag: string): string => tag.slice(tag.indexOf('"') + 1, -1);

/** Throws Fault `precondition_failed` unless If-Match is absent or names the validator (RFC 9110, 13.1.1). */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || isNamed(ifMatch, etag)) return;
  throw new Fault('precondition_failed', 'The resource has changed: its ETag is not the one of If-Match.');
}
