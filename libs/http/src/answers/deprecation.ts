import type { Deprecation } from '../operation.ts';
import type { Reply } from './exchange.ts';

/**
 * Makes what adds the headers to each answer of an operation that announce an end: `Deprecation` (RFC 9745), `Sunset`
 * and its link (RFC 8594). Answers of other operations stay as they are.
 */
export const createAnnouncement = (deprecated: Deprecation | undefined): ((reply: Reply) => Reply) => {
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
};
