import { PosFault } from '@boxoffice/envelope';
import { DEFAULT_LIMIT, MAX_LIMIT } from '@boxoffice/http';
import { Type } from 'typebox';
import type { Visit } from './visit.ts';

export const partQuery = {
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'number of records to skip',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'maximum number of records' }),
  ),
};

export interface Part {
  readonly offset: number;
  readonly limit: number;
}

export function toPart({ offset = 0, limit = DEFAULT_LIMIT }: Partial<Part>): Part {
  return { offset, limit };
}

/** Characters of the other parameters: longer links exceed the header limits of clients. */
const MAX_REPEATED_LENGTH = 1_500;

/** The links (RFC 8288) repeat all other parameters. @throws {PosFault} invalid_parameter if these are too long */
export function buildPartHeaders({ address, search }: Visit, part: Part, total: number): Record<string, string> {
  const others = new URLSearchParams(search);
  others.delete('offset');
  others.delete('limit');
  if (String(others).length > MAX_REPEATED_LENGTH) {
    throw new PosFault(
      'invalid_parameter',
      `The query is too long: parameters other than offset and limit have at most ${MAX_REPEATED_LENGTH} characters.`,
    );
  }
  const repeated = others.size > 0 ? `${others}&` : '';
  const links = Object.entries(computeLinkOffsets(part, total)).map(
    ([relation, offset]) => `<${address}?${repeated}offset=${offset}&limit=${part.limit}>; rel="${relation}"`,
  );
  return { 'X-Total-Amount': String(total), Link: links.join(', ') };
}

/** `next` is at most the last page, `previous` at least the first. */
const computeLinkOffsets = ({ offset, limit }: Part, total: number) => {
  const last = total === 0 ? 0 : Math.floor((total - 1) / limit) * limit;
  return {
    next: Math.min(offset + limit, last),
    last,
    first: 0,
    previous: Math.max(0, Math.min(offset - limit, last)),
  };
};

/** The form of lists of family B, in the order of the list. */
export function mapById<Item extends { readonly id: string }>(items: readonly Item[]): Record<string, Item> {
  return Object.fromEntries(items.map((item) => [item.id, item]));
}
