export { type Bounds, bounded, boundedCollection, OutOfBounds } from './bounds.ts';
export { IdempotencyKeyTaken, StoreUnavailable, UniqueViolation } from './errors.ts';
export { everyDocument } from './every.ts';
export type { MongoOptions } from './mongo.ts';
export { openMongoStore } from './open-mongo.ts';
export * from './port.ts';
export { rewrite } from './shapes.ts';
export { type SnapshotFile, type SnapshotOptions, snapshotSqlite } from './sqlite/snapshot.ts';
export { openSqliteStores, type SqliteOptions, type SqliteStores } from './sqlite.ts';
