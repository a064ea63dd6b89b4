import type { MongoOptions } from './mongo.ts';
import type { Store } from './port.ts';

/** Opens a store on MongoDB; see mongo.ts. The driver is loaded only here, so embedded installations run without it. */
export const openMongoStore = async (options: MongoOptions): Promise<Store> =>
  (await import('./mongo.ts')).openMongoStore(options);
