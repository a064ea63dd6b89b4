// The store port on MongoDB.

import type { Collection } from 'mongodb';
import type { Surroundings } from '../surroundings.ts';
import type { MongoIdempotency } from './idempotency/idempotency.ts';
import type { MongoOutbox } from './outbox/outbox.ts';
import type { StoredRecord } from './records/record.ts';
import type { Schema } from './records/schema.ts';

/**
 * Serializes the updates of one document within this process, so that they do not lose races against each other: of 32
 * concurrent swaps 31 would retry. Between processes the swap alone decides.
 */
export const createTurns = () => {
  const last = new Map<string, Promise<unknown>>();
  /** Runs `fn` after every earlier call for the same name has settled. */
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
};

/** One collection with the parts of the engine that its writes need. */
export interface MongoCollection {
  readonly schema: Schema;
  readonly records: Collection<StoredRecord>;
  readonly outbox: MongoOutbox;
  readonly idempotency: MongoIdempotency;
  readonly turns: ReturnType<typeof createTurns>;
  readonly surroundings: Surroundings;
}
