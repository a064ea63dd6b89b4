import { IdempotencyKeyTaken, UniqueViolation } from '../../errors.ts';
import type { MongoCollection } from '../collection.ts';
import { findIdempotencyRecord, freeIdempotencyRecord } from '../idempotency/records.ts';
import { isDuplicate, takenIndex } from '../records/schema.ts';

/** Refuses a write whose key already has an answer outside of a document (a refusal, or a deleted document's). */
export const refuseAnswered = async ({ idempotency }: MongoCollection, key: string | undefined): Promise<void> => {
  if (key !== undefined && (await idempotency.answered(key))) throw new IdempotencyKeyTaken(`the key ${key} is taken`);
};

/**
 * Explains a failed write by throwing the port's error. Returns if the write should be retried, because its only
 * obstacle was the idempotency record of an expired key.
 */
export const explain = async (
  { schema, records }: MongoCollection,
  error: unknown,
  key: string | undefined,
): Promise<void> => {
  if (!isDuplicate(error)) throw error;
  const taken = takenIndex(schema, error.message);
  if ('idempotencyKey' in taken) {
    if (key !== undefined && (await freeIdempotencyRecord(records, key))) return;
    throw new IdempotencyKeyTaken(`the key ${key} is taken`);
  }
  // The server names one of the violated indexes; a taken idempotency key has precedence.
  if (key !== undefined && (await findIdempotencyRecord([records], key)))
    throw new IdempotencyKeyTaken(`the key ${key} is taken`);
  throw new UniqueViolation(taken.index);
};
