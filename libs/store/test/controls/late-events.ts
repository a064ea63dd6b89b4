import type { Collection, Document, Store } from '../../src/index.ts';
import { openStore as openSqlite } from '../sqlite/engine.ts';
import { withEventsAfter } from './doubles.ts';

/** The store that the killed writer opens. */
export const openStore = async (
  settings: { directory: string },
  collections: readonly Collection<Document>[],
): Promise<Store> => withEventsAfter(await openSqlite(settings, collections));
