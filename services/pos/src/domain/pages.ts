/** A requested page of a list. */
export interface Part {
  readonly offset: number;
  readonly limit: number;
}

/**
 * The offsets of the four links of a list with `total` records; `next` is at most the last page, `previous` at least
 * the first.
 */
export const linkOffsets = ({ offset, limit }: Part, total: number) => {
  const last = total === 0 ? 0 : Math.floor((total - 1) / limit) * limit;
  return {
    next: Math.min(offset + limit, last),
    last,
    first: 0,
    previous: Math.max(0, Math.min(offset - limit, last)),
  };
};

/** The value of `Link` (RFC 8288): four links that repeat all other query parameters. */
export const linkHeader = (address: string, others: URLSearchParams, part: Part, total: number): string => {
  const repeated = others.size > 0 ? `${others}&` : '';
  return Object.entries(linkOffsets(part, total))
    .map(([relation, offset]) => `<${address}?${repeated}offset=${offset}&limit=${part.limit}>; rel="${relation}"`)
    .join(', ');
};
