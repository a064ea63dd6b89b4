import type { Collection } from 'mongodb';
import type { Surroundings } from './events.ts';
import type { MongoIdempotency } from './idempotency.ts';
import type { MongoOutbox } from './outbox.ts';
import type { StoredRecord } from './record.ts';
import type { Schema } from './schema.ts';
import type { Turns } from './turns.ts';

/** One collection and what its writes need around it. */
export interface Shelf {
  readonly schema: Schema;
  readonly records: Collection<StoredRecord>;
  readonly outbox: MongoOutbox;
  readonly idempotency: MongoIdempotency;
  readonly turns: Turns;
  readonly surroundings: Surroundings;
}
