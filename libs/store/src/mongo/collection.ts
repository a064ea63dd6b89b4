import type { Collection } from 'mongodb';
import { type createDueListeners, IdempotencyKeyTaken, type Surroundings, UniqueViolation } from '../engines.ts';
import { findIdempotencyRecord, freeIdempotencyRecord, type MongoIdempotency } from './idempotency.ts';
import type { MongoOutbox } from './outbox.ts';
import { isDuplicate, parseTakenIndex, type Schema, type StoredRecord } from './record.ts';

/** One update of a document at a time within this process: of 32 concurrent swaps 31 would lose their race. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <R>(name: string, fn: () => Promise<R>): Promise<R> => {
    const before = last.get(name) ?? Promise.resolve();
    const own = before.then(fn, fn);
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
}

export interface MongoCollection {
  readonly schema: Schema;
  readonly records: Collection<StoredRecord>;
  readonly outbox: MongoOutbox;
  readonly idempotency: MongoIdempotency;
  readonly turns: ReturnType<typeof createTurns>;
  readonly surroundings: Surroundings;
  readonly notifyDue: ReturnType<typeof createDueListeners>['notifyDue'];
}

/** Refuses a write whose key already has an answer outside of a document (a refusal, or a deleted document's). */
export async function refuseAnsweredKey({ idempotency }: MongoCollection, key: string | undefined): Promise<void> {
  if (key !== undefined && (await idempotency.isAnswered(key))) throw new IdempotencyKeyTaken(key);
}

/** Throws the port's error of a failed write; returns if only the record of an expired key was in its way: retry it. */
export async function explain(
  { schema, records }: MongoCollection,
  error: unknown,
  key: string | undefined,
): Promise<void> {
  if (!isDuplicate(error)) throw error;
  const taken = parseTakenIndex(schema, error.message);
  if ('idempotencyKey' in taken) {
    if (key !== undefined && (await freeIdempotencyRecord(records, key))) return;
    throw new IdempotencyKeyTaken(key);
  }
  // The server names one of the violated indexes; a taken idempotency key has precedence.
  if (key !== undefined && (await findIdempotencyRecord([records], key))) throw new IdempotencyKeyTaken(key);
  throw new UniqueViolation(taken.index);
}
