// Answers: the outcome of a request, its fault, validator, compression and the write to the socket.

import { type Fault, subjectsOf } from '@boxoffice/envelope';
import type { Family } from '../families/family.ts';
import type { Answer, AnyOperation, OpenStream } from '../operation.ts';
import { type Headers, JSON_TYPE } from './exchange.ts';

/** The outcome of a request, as it is stored and sent (structurally the store's `RememberedAnswer`). */
export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly subjects?: readonly string[];
  /** Writes the body, which has no end of its own. */
  readonly stream?: (open: OpenStream) => void;
}

/** Cacheable answers must be revalidated each time; all others must not be stored. */
const REVALIDATED = { 'Cache-Control': 'private, no-cache' } as const;
const NO_STORE = { 'Cache-Control': 'no-store' } as const;

/** Turns an operation's answers and faults into outcomes. */
export const createOutcomes = (family: Family, { bare, compressed, onFault, streams }: AnyOperation) => {
  // Compressed answers have several representations under one validator, so it is a weak one (RFC 9110, 8.8.3.3).
  const tag = (etag: string) => (compressed ? `W/"${etag}"` : `"${etag}"`);

  const enveloped = ({ data, members }: Answer): unknown => {
    if (bare) return data;
    const body = family.success(data as object | null);
    return members ? { ...body, ...members } : body;
  };

  // The same data object reuses its body, so that it is serialised and compressed once.
  const bodies = new WeakMap<object, unknown>();
  const bodyOf = (answer: Answer): unknown => {
    const data = answer.data as object;
    if (!compressed) return enveloped(answer);
    const body = bodies.get(data) ?? enveloped(answer);
    bodies.set(data, body);
    return body;
  };

  return {
    ofAnswer: (answer: Answer): Outcome => {
      const { status, headers, etag, subjects, stream, document } = answer;
      if (stream) {
        const type = { 'Content-Type': streams?.mediaType ?? 'text/plain' };
        return { status, headers: { ...type, ...NO_STORE, ...headers }, body: undefined, stream };
      }
      const validator = etag === undefined ? NO_STORE : { ETag: tag(etag), ...REVALIDATED };
      const type = document ? { 'Content-Type': document.mediaType } : JSON_TYPE;
      const body = document ? document.content : bodyOf(answer);
      return { status, headers: { ...type, ...validator, ...headers }, body, subjects };
    },
    ofFault: (fault: Fault): Outcome => {
      const { status, body } = family.failure(fault);
      const { members, headers } = onFault?.(fault) ?? {};
      return {
        status,
        headers: { ...JSON_TYPE, ...NO_STORE, ...fault.headers, ...headers },
        body: members ? { ...body, ...members } : body,
        subjects: subjectsOf(fault),
      };
    },
  };
};

/** See `createOutcomes`. */
export type Outcomes = ReturnType<typeof createOutcomes>;
