import type { MongoOptions } from './mongo.ts';
import type { Store } from './port.ts';

export { type Bounds, restrictCollection, restrictDocuments } from './bounds.ts';
export { toDue } from './due.ts';
export { IdempotencyKeyTaken, insertUnlessTaken, StoreUnavailable, UniqueViolation } from './engines.ts';
export * from './port.ts';
export { createQuiet, skipWhenQuiet } from './quiet.ts';
export { findFitting, readAllDocuments, readDocuments, rewrite, runForEach } from './reading.ts';
export { copySqliteFiles } from './sqlite/snapshot.ts';
export { openSqliteStores, type SqliteStores } from './sqlite.ts';
export { type StoreWatch, watchStore } from './watch.ts';
export { keepByKey, keepHandles, wrapCollection, wrapInserts, wrapMethods } from './wrapping.ts';

/** Opens a store on MongoDB; see mongo.ts. The driver is loaded only here, so embedded installations run without it. */
export async function openMongoStore(options: MongoOptions): Promise<Store> {
  return (await import('./mongo.ts')).openMongoStore(options);
}
