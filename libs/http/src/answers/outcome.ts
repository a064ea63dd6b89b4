import { type Fault, subjectsOf } from '@boxoffice/envelope';
import type { Family } from '../families/family.ts';
import type { Answer, AnyOperation } from '../operation.ts';
import { type Headers, JSON_TYPE } from './exchange.ts';

/** What a request led to, as it can be remembered and sent (structurally the store's `RememberedAnswer`). */
export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly subjects?: readonly string[];
}

/** Answers that somebody may keep must be asked for again each time; all others may not be kept at all. */
const REVALIDATED = { 'Cache-Control': 'private, no-cache' } as const;
const NOT_KEPT = { 'Cache-Control': 'no-store' } as const;

/** Makes an operation's answers and faults into outcomes. */
export const createOutcomes = (family: Family, { bare, compressed, onFault }: AnyOperation) => {
  // Compressed answers have several representations under one validator, so it is a weak one (RFC 9110, 8.8.3.3).
  const tag = (etag: string) => (compressed ? `W/"${etag}"` : `"${etag}"`);

  const enveloped = ({ data, members }: Answer): unknown => {
    if (bare) return data;
    const body = family.success(data as object | null);
    return members ? { ...body, ...members } : body;
  };

  // The same data keeps the same body, so that it is serialised and compressed once.
  const kept = new WeakMap<object, unknown>();
  const bodyOf = (answer: Answer): unknown => {
    const data = answer.data as object;
    if (!compressed) return enveloped(answer);
    const body = kept.get(data) ?? enveloped(answer);
    kept.set(data, body);
    return body;
  };

  return {
    ofAnswer: (answer: Answer): Outcome => {
      const { status, headers, etag, subjects } = answer;
      const validator = etag === undefined ? NOT_KEPT : { ETag: tag(etag), ...REVALIDATED };
      return { status, headers: { ...JSON_TYPE, ...validator, ...headers }, body: bodyOf(answer), subjects };
    },
    ofFault: (fault: Fault): Outcome => {
      const { status, body } = family.failure(fault);
      const { members, headers } = onFault?.(fault) ?? {};
      return {
        status,
        headers: { ...JSON_TYPE, ...NOT_KEPT, ...fault.headers, ...headers },
        body: members ? { ...body, ...members } : body,
        subjects: subjectsOf(fault),
      };
    },
  };
};

/** See `createOutcomes`. */
export type Outcomes = ReturnType<typeof createOutcomes>;
