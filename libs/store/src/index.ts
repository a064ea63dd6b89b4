export { type MongoOptions, openMongoStore } from './mongo.ts';
export * from './port.ts';
export { openSqliteStores, type SqliteOptions, type SqliteStores } from './sqlite.ts';
