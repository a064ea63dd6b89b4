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
