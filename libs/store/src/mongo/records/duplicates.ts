import { MongoServerError } from 'mongodb';
import { idempotencyIndex, type Schema } from './schema.ts';

/** The server's code of a violated unique index. */
const duplicateKey = 11_000;

/** The taken key of a write: the index as declared, `id`, or the idempotency key. */
export type Taken = { readonly idempotencyKey: true } | { readonly index: string };

/** Whether this is a unique index that was violated. */
export const isDuplicate = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === duplicateKey;

/** The index that the server's message names. */
export const takenIndex = (schema: Schema, message: string): Taken => {
  // "E11000 duplicate key error collection: db.things index: email#1a2b3c4d dup key: { … }"
  const name = /index: (\S+)/.exec(message)?.[1] ?? '';
  if (name === idempotencyIndex) return { idempotencyKey: true };
  if (name === '_id_' || name === '_id') return { index: 'id' };
  return { index: schema.unique.find((one) => one.name === name)?.declared ?? name };
};
