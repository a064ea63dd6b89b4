import { PosFault } from '@boxoffice/envelope';
import { DEFAULT_LIMIT, MAX_LIMIT } from '@boxoffice/http';
import { Type } from 'typebox';
import { linkHeader, type Part } from '../domain/pages.ts';
import type { Visit } from './visit.ts';

/** The query parameters of every list. */
export const partQuery = {
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'records before the first one',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'most records' }),
  ),
};

/** What a list is asked for, with its defaults. */
export const partOf = ({
  offset = 0,
  limit = DEFAULT_LIMIT,
}: {
  readonly offset?: number;
  readonly limit?: number;
}): Part => ({
  offset,
  limit,
});

/** Longer queries make links that clients would not take as a header. */
const MAX_KEPT = 1_500;

/** The headers of one part of a list with so many records; other parameters are kept. @throws {PosFault} invalid_parameter */
export const partHeaders = ({ address, search }: Visit, part: Part, total: number): Record<string, string> => {
  const others = new URLSearchParams(search);
  others.delete('offset');
  others.delete('limit');
  if (String(others).length > MAX_KEPT) {
    throw new PosFault(
      'invalid_parameter',
      `The query is too long: at most ${MAX_KEPT} characters can be kept in Link.`,
    );
  }
  return { 'X-Total-Amount': String(total), Link: linkHeader(address, others, part, total) };
};

/** Records as family B has them: a map by id, in their order. */
export const mapById = <Item extends { readonly id: string }>(items: readonly Item[]): Record<string, Item> =>
  Object.fromEntries(items.map((item) => [item.id, item]));
