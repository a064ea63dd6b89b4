import type { MongoOptions } from './mongo.ts';
import type { Store } from './port.ts';

/** Opens a store on MongoDB; see mongo.ts. The driver is loaded here and not before, so that embedded installations do without it. */
export const openMongoStore = async (options: MongoOptions): Promise<Store> =>
  (await import('./mongo.ts')).openMongoStore(options);
