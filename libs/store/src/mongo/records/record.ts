import type { Document } from '../../port.ts';
import { decode, encode, type JsonObject } from './body.ts';
import { type Schema, uniqueKeys } from './schema.ts';

/** An event stored in its document until it is published. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly version: number;
  /** Epoch milliseconds, by the clock of the writing process. */
  readonly at: number;
  readonly traceparent?: string;
  /** JSON. */
  readonly data: string;
}

/** A stored answer, in the document whose write produced it. */
export interface StoredIdempotencyRecord {
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly subjects?: readonly string[];
  /** JSON. */
  readonly answer: string;
}

/** A document as MongoDB stores it: the body is the service's, every other member the store's. */
export interface StoredRecord {
  readonly _id: string;
  readonly institution: string;
  readonly version: number;
  readonly body: JsonObject;
  readonly _escaped?: boolean;
  /** Unique keys by index; absent where one of the values is null. */
  readonly _unique: Readonly<Record<string, string>>;
  readonly _outbox?: readonly StoredEvent[];
  /** Present while the outbox is not empty: at or before the time of its oldest event. */
  readonly _pending?: number;
  readonly _idempotencyRecords?: readonly StoredIdempotencyRecord[];
  /**
   * The keys of the idempotency records again, for their unique index. Never an empty array, which such an index would
   * treat as a value.
   */
  readonly _idempotencyKeys?: readonly string[];
  /** The subjects of the idempotency records. */
  readonly _subjects?: readonly string[];
}

/** The projection of reads: pending events and stored answers stay on the server. */
export const visible = {
  _outbox: 0,
  _pending: 0,
  _idempotencyRecords: 0,
  _idempotencyKeys: 0,
  _subjects: 0,
  _unique: 0,
} as const;

/** The projection of reads that precede a write. */
export const writable = { _outbox: 0, _pending: 0, _unique: 0 } as const;

/**
 * The options of a write. A write that records its own time must be visible soon after (the port: Documents), so the
 * server aborts it after this many milliseconds.
 */
export const prompt = { maxTimeMS: 4_000 } as const;

/** The document of a record. */
export const documentOf = <T extends Document>(record: StoredRecord): T =>
  ({
    ...decode(record.body, record._escaped),
    id: record._id,
    version: record.version,
    institution: record.institution,
  }) as Document as T;

/** The `$set` of a write: the body and the members derived from it. */
export const contentOf = (schema: Schema, institution: string, id: string, body: JsonObject) => {
  const encoded = encode(body);
  return {
    body: encoded.body,
    ...(encoded.escaped ? { _escaped: true } : {}),
    _unique: uniqueKeys(schema, institution, id, body),
  };
};
