import { Fault } from '@boxoffice/envelope';

/** The quality that an Accept header (RFC 9110, 12.5.1) gives a media type named in full; 0 if it does not. */
export const qualityOf = (accept: string, mediaType: string): number => {
  const found = accept
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim().toLowerCase()))
    .find(([type]) => type === mediaType);
  if (!found) return 0;
  const quality = Number(found.find((piece) => piece.startsWith('q='))?.slice(2) ?? 1);
  return Number.isFinite(quality) ? quality : 0;
};

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
