import type { Document } from '../../port.ts';
import { decode, encode, type JsonObject } from './body.ts';
import { type Schema, uniqueKeys } from './schema.ts';

/** An event that waits in its document until it is published. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly version: number;
  /** Epoch milliseconds, by the clock of the process that wrote it. */
  readonly at: number;
  readonly traceparent?: string;
  /** JSON. */
  readonly data: string;
}

/** A remembered answer, in the document whose write gave it. */
export interface StoredIdempotencyRecord {
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly subjects?: readonly string[];
  /** JSON. */
  readonly answer: string;
}

/** A document as MongoDB keeps it: what the service wrote is the body, everything else is the store's. */
export interface StoredRecord {
  readonly _id: string;
  readonly institution: string;
  readonly version: number;
  readonly body: JsonObject;
  readonly _escaped?: boolean;
  /** By unique index what must not occur twice; absent where one of the values is null. */
  readonly _unique: Readonly<Record<string, string>>;
  readonly _outbox?: readonly StoredEvent[];
  /** There while the outbox is not empty: at or before the time of its oldest event. */
  readonly _pending?: number;
  readonly _stamps?: readonly StoredIdempotencyRecord[];
  /**
   * The keys of the idempotency records, once more: MongoDB holds a unique index over them. Never an empty array, which such an
   * index would take for a value.
   */
  readonly _stampKeys?: readonly string[];
  /** The subjects of the idempotency records. */
  readonly _subjects?: readonly string[];
}

/** The projection of reads: what waits to be published or repeated stays on the server. */
export const visible = { _outbox: 0, _pending: 0, _stamps: 0, _stampKeys: 0, _subjects: 0, _unique: 0 } as const;

/** The projection of reads that a write follows. */
export const writable = { _outbox: 0, _pending: 0, _unique: 0 } as const;

/**
 * How a document is written. A write that says when it happened must be seen soon after (the port: Documents); the server gives one up
 * that it cannot carry out in so many milliseconds.
 */
export const prompt = { maxTimeMS: 4_000 } as const;

/** The document of a record. */
export const documentOf = <T extends Document>(record: StoredRecord): T =>
  ({
    ...decode(record.body, record._escaped),
    id: record._id,
    version: record.version,
    institution: record.institution,
  }) as unknown as T;

/** What a write sets of a document: the body and what follows from it. */
export const contentOf = (schema: Schema, institution: string, id: string, body: JsonObject) => {
  const encoded = encode(body);
  return {
    body: encoded.body,
    ...(encoded.escaped ? { _escaped: true } : {}),
    _unique: uniqueKeys(schema, institution, id, body),
  };
};
