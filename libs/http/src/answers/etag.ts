import { Fault } from '@boxoffice/envelope';

const TAGS = /(?:W\/)?"[^"]*"/g;

const tagsIn = (header: string): readonly string[] => header.match(TAGS) ?? [];

const opaque = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Whether an If-None-Match names the validator, by weak comparison (RFC 9110, 13.1.2). */
export const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).some((known) => opaque(known) === opaque(tag));
};

/**
 * Throws Fault `precondition_failed` unless If-Match is absent or names the validator, by strong comparison (RFC 9110,
 * 13.1.1).
 */
export const requireMatch = (ifMatch: string | undefined, etag: string): void => {
  if (ifMatch === undefined || ifMatch.trim() === '*' || tagsIn(ifMatch).includes(`"${etag}"`)) return;
  throw new Fault('precondition_failed', 'The resource has changed: its ETag is not the one of If-Match.');
};
