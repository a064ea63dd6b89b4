import type { MongoCollection } from './mongo/collection.ts';
import { type Connection, connect } from './mongo/connection/client.ts';
import { createGate, type Gate, inTime } from './mongo/connection/gate.ts';
import { collectionHandle } from './mongo/documents/documents.ts';
import { createIdempotency, indexKeys, type MongoIdempotency } from './mongo/idempotency/idempotency.ts';
import { createLeases } from './mongo/lease.ts';
import type { Surroundings } from './mongo/outbox/events.ts';
import { createOutbox } from './mongo/outbox/outbox.ts';
import { ensureIndexes } from './mongo/records/indexes.ts';
import type { StoredRecord } from './mongo/records/record.ts';
import { type Schema, schemaOf } from './mongo/records/schema.ts';
import { createTurns } from './mongo/turns.ts';
import { type Collection, type Document, type Idempotency, type Outbox, REQUEST_MS, type Store } from './port.ts';
import { inShape } from './shapes.ts';

// The engine of the scaled deployment, for a standalone server, a replica set, or a sharded cluster.
//
// - A write and all that it causes is one command on one document: no multi-document transaction, no change stream, no
//   update pipeline. Only what must outlive a deleted document, and idempotency records over the fiftieth or over 1 MiB, are copied out first.
// - Writes wait for a majority and its journals; reads go to the primary at majority. A primary that was deposed and does
//   not know it yet may answer an older state for some seconds; writes are safe from that.
// - Where a write's acknowledgement is lost on the way, the driver repeats it, once in effect, on a replica set. A
//   standalone server has no such protection: the caller gets the error, and the write may have happened.
// - A write begins no attempt once its call has ended, and the server gives an attempt up after 4 s.
// - A call that the database does not answer ends after seconds, like one that finds no server: StoreUnavailable. The driver has
//   no deadline for a server that keeps its connections and says nothing.
// - Marks of running requests live by the server's clock alone; a mark that is taken too early costs a refused write, not
//   a second effect. Leases watch instead of comparing clocks.
// - Sharded: spread services by their databases, and collections whole (`moveCollection` of MongoDB 8). To shard one by
//   `{ institution: 1 }` its unique indexes must begin with the institution and be partial; now they are sparse, with the
//   institution inside the key, and a cluster would refuse them.
// - The tests' server speaks the protocol but neither plans queries nor replicates, so they do not show: users and TLS,
//   elections and rollbacks, that queries use the declared indexes, MongoDB's own removal of expired keys.

/** Where the database is, and what is in it. */
export interface MongoOptions extends Surroundings {
  /** `mongodb://…` or `mongodb+srv://…`; the database in it is the prefix of the names of the services' databases. */
  readonly url: string;
  /** The service: its documents are in the database `<prefix>_<name>`. */
  readonly name: string;
  readonly collections: readonly Collection<Document>[];
  /** Milliseconds that a call may take, insertMany apart; then it rejects with StoreUnavailable. Default: 6,000. */
  readonly answerMs?: number;
  /** Milliseconds after which the mark of a running request is not renewed any more. Default: 30,000. */
  readonly requestMs?: number;
}

/**
 * Longer than the driver takes to find out that no server is there, which tells more; and so short that a request whose second
 * call stalls, and then the one that ends its idempotency key, is answered before the gateway gives the service up after 15 s.
 */
const ANSWER_MS = 6_000;

/** For each of the last words to the database. */
const CLOSING_MS = 1_000;

const opened = async ({ client, database }: Connection, schemas: readonly Schema[], options: MongoOptions) => {
  const records = new Map(schemas.map(({ name }) => [name, database.collection<StoredRecord>(name)]));
  for (const schema of schemas) await ensureIndexes(database.collection<StoredRecord>(schema.name), schema);
  await indexKeys(database);
  const surroundings = { trace: options.trace, logger: options.logger };
  const outbox = createOutbox(database, records, surroundings);
  const requestMs = options.requestMs ?? REQUEST_MS;
  const idempotency = createIdempotency(database, records, { ...surroundings, requestMs });
  const shelves = new Map<string, MongoCollection>();
  for (const schema of schemas) {
    const own = records.get(schema.name) ?? database.collection<StoredRecord>(schema.name);
    shelves.set(schema.name, { schema, records: own, outbox, idempotency, surroundings, turns: createTurns() });
  }
  return { client, database, shelves, outbox, idempotency, leases: createLeases(database) };
};

const guardedOutbox = (outbox: Outbox, gate: Gate): Outbox => ({
  pending: (limit, olderThanMs) => gate.run(() => outbox.pending(limit, olderThanMs)),
  add: (institution, facts) => gate.run(() => outbox.add(institution, facts)),
  done: (ids) => gate.run(() => outbox.done(ids)),
  onCommitted: (listener) => outbox.onCommitted(listener),
});

const guardedIdempotency = (keys: MongoIdempotency, gate: Gate): Idempotency => ({
  begin: (key, fingerprint, expiresAt) => gate.run((call) => keys.begin(key, fingerprint, expiresAt, call)),
  remember: (attempt, answer) => gate.run(() => keys.remember(attempt, answer)),
  end: (attempt) => gate.run(() => keys.end(attempt)),
  forget: (subject) => gate.run(() => keys.forget(subject)),
  trim: (subject, most) => gate.run(() => keys.trim(subject, most)),
});

/**
 * Opens a service's store, and brings the database to the declared indexes.
 * @throws an Error that names the address and the reason (not reachable, wrong password …) or the index
 */
export const openMongoStore = async (options: MongoOptions): Promise<Store> => {
  const schemas = options.collections.map(schemaOf);
  const connection = await connect(options.url, options.name);
  const parts = await opened(connection, schemas, options).catch(async (error: unknown) => {
    await connection.client.close();
    throw error;
  });
  const { client, database, shelves, outbox, idempotency, leases } = parts;
  const gate = createGate(`the store ${database.databaseName}`, options.answerMs ?? ANSWER_MS);
  let closing: Promise<void> | undefined;

  const close = async () => {
    await gate.close();
    // What a database that says nothing does not get is made up for by time: marks and leases end, and so do its sessions.
    await inTime(idempotency.stop(), CLOSING_MS).catch(() => undefined);
    await inTime(leases.release(), CLOSING_MS).catch(() => undefined);
    await inTime(client.close(), CLOSING_MS).catch(() => undefined);
  };

  return {
    collection<T extends Document>(declared: Collection<T>) {
      const shelf = shelves.get(declared.name);
      if (!shelf)
        throw new Error(`the store ${database.databaseName} was opened without the collection ${declared.name}`);
      return inShape(collectionHandle<T>(shelf, gate), declared);
    },
    idempotency: guardedIdempotency(idempotency, gate),
    outbox: guardedOutbox(outbox, gate),
    lease: (name, ms) => gate.run(() => leases.lease(name, ms)),
    ping: () => gate.run(async () => void (await database.command({ ping: 1 }))),
    close() {
      closing ??= close();
      return closing;
    },
  };
};
