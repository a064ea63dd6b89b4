// The store port on MongoDB.

import type { Collection } from 'mongodb';
import type { MongoIdempotency } from './idempotency/idempotency.ts';
import type { Surroundings } from './outbox/events.ts';
import type { MongoOutbox } from './outbox/outbox.ts';
import type { StoredRecord } from './records/record.ts';
import type { Schema } from './records/schema.ts';
import type { Turns } from './turns.ts';

/** One collection with the parts of the engine that its writes need. */
export interface MongoCollection {
  readonly schema: Schema;
  readonly records: Collection<StoredRecord>;
  readonly outbox: MongoOutbox;
  readonly idempotency: MongoIdempotency;
  readonly turns: Turns;
  readonly surroundings: Surroundings;
}
