import type { MongoOptions } from './mongo.ts';
import type { Store } from './port.ts';

export { type Bounds, bounded, boundedCollection } from './bounds.ts';
export { dueFrom } from './due.ts';
export { IdempotencyKeyTaken, StoreUnavailable, UniqueViolation } from './engines.ts';
export * from './port.ts';
export { createQuiet, unlessQuiet } from './quiet.ts';
export { documentsOf, eachOf, everyDocument, rewrite } from './reading.ts';
export { snapshotSqlite } from './sqlite/snapshot.ts';
export { openSqliteStores, type SqliteStores } from './sqlite.ts';

/** Opens a store on MongoDB; see mongo.ts. The driver is loaded only here, so embedded installations run without it. */
export async function openMongoStore(options: MongoOptions): Promise<Store> {
  return (await import('./mongo.ts')).openMongoStore(options);
}
