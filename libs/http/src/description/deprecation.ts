import type { Reply } from '../answers/exchange.ts';
import { getDeprecation } from '../named.ts';
import type { AnyOperation, Deprecation } from '../operation.ts';

const text = { type: 'string' } as const;

export const describedDeprecation = {
  Deprecation: { description: 'Since when the operation, or a member of it, is deprecated (RFC 9745).', schema: text },
  Sunset: { description: 'The operation, or the member, is served until then at least (RFC 8594).', schema: text },
} as const;

/** Its own end, or else the first one of a parameter or a member of its bodies. */
export function findAnnouncedDeprecation({
  deprecated,
  params,
  query,
  body,
  answers,
  members,
}: Pick<AnyOperation, 'deprecated' | 'params' | 'query' | 'body' | 'answers' | 'members'>): Deprecation | undefined {
  if (deprecated) return deprecated;
  const all = within([params, query, body, answers, members], new Set());
  if (all.length === 0) return undefined;
  return { since: earliest(all.map(({ since }) => since)), sunset: earliest(all.map(({ sunset }) => sunset)) };
}

const within = (schema: unknown, seen: Set<unknown>): Deprecation[] => {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const own = getDeprecation(schema);
  return [...(own ? [own] : []), ...Object.values(schema).flatMap((part) => within(part, seen))];
};

const earliest = (dates: readonly string[]): string => dates.toSorted()[0] ?? '';

/** Adds `Deprecation` (RFC 9745), `Sunset` and its link (RFC 8594) to answers that announce an end. */
export function createAnnouncement(operation: AnyOperation): (reply: Reply) => Reply {
  const deprecated = findAnnouncedDeprecation(operation);
  if (!deprecated) return (reply) => reply;
  const announced = {
    Deprecation: `@${Date.parse(deprecated.since) / 1_000}`,
    Sunset: new Date(deprecated.sunset).toUTCString(),
  };
  const link = '</docs/changes>; rel="sunset"';
  return (reply) => {
    const { Link, ...others } = reply.headers;
    return { ...reply, headers: { ...others, ...announced, Link: Link === undefined ? link : `${Link}, ${link}` } };
  };
}
