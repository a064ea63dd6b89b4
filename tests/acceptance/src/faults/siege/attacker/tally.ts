import type { Reply } from '@boxoffice/testkit';
import { serverErrorOf } from '../samples.ts';
import type { AttackCounts } from './attack-plan.ts';

/** Counts what the product answers to the attacker. */
export interface Tally {
  /** Counts a response, or its absence. */
  answered(kind: string, request: string, reply: Pick<Reply, 'status' | 'headers' | 'body'> | undefined): void;
  /** Counts any other end of a request. */
  ended(kind: string, how: string): void;
  counts(): Pick<AttackCounts, 'answers' | 'errors'>;
}

export const createTally = (): Tally => {
  const answers: Record<string, Record<string, number>> = {};
  const errors = new Map<string, AttackCounts['errors'][number]>();
  const ended = (kind: string, how: string): void => {
    answers[kind] ??= {};
    const ofKind = answers[kind];
    ofKind[how] = (ofKind[how] ?? 0) + 1;
  };
  return {
    ended,
    answered(kind, request, reply) {
      ended(kind, reply === undefined ? 'none' : `${reply.status}`);
      const error = reply && serverErrorOf(request, reply);
      if (!error) return;
      const key = JSON.stringify(error);
      errors.set(key, { ...error, count: (errors.get(key)?.count ?? 0) + 1 });
    },
    counts: () => ({ answers, errors: [...errors.values()] }),
  };
};
