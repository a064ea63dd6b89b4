import { IdempotencyKeyTaken, UniqueViolation } from '../../port.ts';
import type { MongoCollection } from '../collection.ts';
import { findIdempotencyRecord, freeIdempotencyRecord } from '../idempotency/records.ts';
import { isDuplicate, takenIndex } from '../records/duplicates.ts';

/** Refuses a write whose key was answered outside of a document (a deleted one's, a refusal's). */
export const refuseAnswered = async ({ idempotency }: MongoCollection, key: string | undefined): Promise<void> => {
  if (key !== undefined && (await idempotency.answered(key))) throw new IdempotencyKeyTaken(`the key ${key} is taken`);
};

/**
 * Explains why a write failed: throws what the port says of it. Returns if the write should be tried again, because
 * all that stood in its way was the idempotency record of an expired key.
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
  // The server names one of the violated indexes; a taken idempotency record goes first.
  if (key !== undefined && (await findIdempotencyRecord([records], key)))
    throw new IdempotencyKeyTaken(`the key ${key} is taken`);
  throw new UniqueViolation(taken.index);
};
