import type { Db } from 'mongodb';
import { createDueListeners, type Surroundings } from './engines.ts';
import { createTurns, type MongoCollection } from './mongo/collection.ts';
import { ANSWER_MS, connect, createGate, type Gate, requireAnswerWithin } from './mongo/connection.ts';
import { createCollectionHandle } from './mongo/documents.ts';
import { createIdempotency, createKeyIndexes, type MongoIdempotency } from './mongo/idempotency.ts';
import { ensureIndexes } from './mongo/indexes.ts';
import { createLeases } from './mongo/lease.ts';
import { createOutbox } from './mongo/outbox.ts';
import { createSchema, type Schema, type StoredRecord } from './mongo/record.ts';
import { createWaiting } from './mongo/waiting.ts';
import type { Collection, Document, Idempotency, Outbox, Store } from './port.ts';
import { createGetTogether, upgradeReads } from './reading.ts';
import { keepHandles } from './wrapping.ts';

// The MongoDB engine, for a standalone server, a replica set or a sharded cluster (deploy/kubernetes/README.md).
// - A write and all its effects are one command on one document. Only events and answers that outlive a deleted
// document, and idempotency records over the fiftieth or over 1 MiB, are copied out first.
// - Writes wait for a journaled majority; reads go to the primary at majority, which, deposed, may return stale data
// for some seconds: writes are safe from that.
// - On a replica set the driver retries a write whose acknowledgement is lost, with one effect. With a standalone
// server the caller gets the error, and the write may have happened.

export interface MongoOptions extends Surroundings {
  /** `mongodb://…` or `mongodb+srv://…`; its database is the prefix of the services' database names. */
  readonly url: string;
  /** The service: its documents are in the database `<prefix>_<name>`. */
  readonly name: string;
  readonly collections: readonly Collection<Document>[];
  /** Time limit of a call in milliseconds, except insertMany; then it rejects with StoreUnavailable. Default: 6,000. */
  readonly answerMs?: number;
}

const CLOSING_MS = 1_000;

/** @throws an Error that names the address and the reason (not reachable, wrong password …), or the index */
export async function openMongoStore(options: MongoOptions): Promise<Store> {
  const schemas = options.collections.map(createSchema);
  const { answerMs = ANSWER_MS } = options;
  const { client, database } = await connect(options.url, options.name, answerMs);
  const parts = await openDatabase(database, schemas, options).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });
  const { collections, outbox, idempotency, leases, onDue, waiting } = parts;
  const gate = createGate(`the store ${database.databaseName}`, answerMs);
  let closing: Promise<void> | undefined;

  const close = async () => {
    await gate.close();
    // An unresponsive database misses these commands; its leases and sessions then expire by time.
    await requireAnswerWithin(leases.releaseAll(), CLOSING_MS).catch(() => undefined);
    await requireAnswerWithin(client.close(), CLOSING_MS).catch(() => undefined);
  };

  const collection = keepHandles(<T extends Document>(declared: Collection<T>) => {
    const known = collections.get(declared.name);
    if (!known)
      throw new Error(`the store ${database.databaseName} was opened without the collection ${declared.name}`);
    return upgradeReads(createCollectionHandle<T>(known, gate), declared);
  });

  return {
    collection,
    getTogether: createGetTogether(collection),
    idempotency: guardedIdempotency(idempotency, gate),
    outbox: guardedOutbox(outbox, gate),
    lease: (name, ms) => gate.run(() => leases.lease(name, ms)),
    onDue,
    waiting: () => gate.run(waiting),
    revision: () => undefined,
    ping: () => gate.run(async () => void (await database.command({ ping: 1 }))),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

const openDatabase = async (database: Db, schemas: readonly Schema[], options: MongoOptions) => {
  const records = new Map(schemas.map(({ name }) => [name, database.collection<StoredRecord>(name)]));
  for (const schema of schemas) await ensureIndexes(database.collection<StoredRecord>(schema.name), schema);
  await createKeyIndexes(database);
  const outbox = createOutbox(database, records, options);
  const idempotency = createIdempotency(database, records);
  const { onDue, notifyDue } = createDueListeners(options);
  const collectionOf = (schema: Schema): MongoCollection => {
    const own = database.collection<StoredRecord>(schema.name);
    return { schema, records: own, outbox, idempotency, surroundings: options, turns: createTurns(), notifyDue };
  };
  const collections = new Map(schemas.map((schema) => [schema.name, collectionOf(schema)]));
  const waiting = createWaiting(database, schemas);
  return { collections, outbox, idempotency, onDue, waiting, leases: createLeases(database) };
};

const guardedIdempotency = (keys: MongoIdempotency, gate: Gate): Idempotency => ({
  find: (key) => gate.run(() => keys.find(key)),
  remember: (request, answer) => gate.run(() => keys.remember(request, answer)),
  forget: (subject) => gate.run(() => keys.forget(subject)),
  trim: (subject, most) => gate.run(() => keys.trim(subject, most)),
});

const guardedOutbox = (outbox: Outbox, gate: Gate): Outbox => ({
  pending: (limit, olderThanMs) => gate.run(() => outbox.pending(limit, olderThanMs)),
  add: (institution, facts) => gate.run(() => outbox.add(institution, facts)),
  done: (ids, ended) => gate.run(() => outbox.done(ids, ended)),
  onCommitted: (listener) => outbox.onCommitted(listener),
});
