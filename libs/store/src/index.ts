export * from './port.ts';
export { openSqliteStores, type SqliteOptions, type SqliteStores } from './sqlite.ts';
export { type MongoOptions, openMongoStore } from './mongo.ts';
