import { StampTaken, UniqueViolation } from '../../port.ts';
import type { Shelf } from '../collection.ts';
import { findStamp, freeStamp } from '../idempotency/records.ts';
import { isDuplicate, takenIndex } from '../records/duplicates.ts';

/** Refuses a write whose key was answered outside of a document (a deleted one's, a refusal's). */
export const refuseAnswered = async ({ idempotency }: Shelf, key: string | undefined): Promise<void> => {
  if (key !== undefined && (await idempotency.answered(key))) throw new StampTaken(`the key ${key} is taken`);
};

/**
 * Explains why a write failed: throws what the port says of it. Returns if the write should be tried again, because
 * all that stood in its way was the stamp of an expired key.
 */
export const explain = async ({ schema, records }: Shelf, error: unknown, key: string | undefined): Promise<void> => {
  if (!isDuplicate(error)) throw error;
  const taken = takenIndex(schema, error.message);
  if ('stamp' in taken) {
    if (key !== undefined && (await freeStamp(records, key))) return;
    throw new StampTaken(`the key ${key} is taken`);
  }
  // The server names one of the violated indexes; a taken stamp goes first.
  if (key !== undefined && (await findStamp([records], key))) throw new StampTaken(`the key ${key} is taken`);
  throw new UniqueViolation(taken.index);
};
