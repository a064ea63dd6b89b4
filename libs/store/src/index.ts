export type { MongoOptions } from './mongo.ts';
export { openMongoStore } from './open-mongo.ts';
export * from './port.ts';
export { openSqliteStores, type SqliteOptions, type SqliteStores } from './sqlite.ts';
