import { documentsOf } from './every.ts';
import type { Collection, CollectionHandle, Document, Documents, Store } from './port.ts';

type Reading<T extends Document> = Pick<Documents<T>, 'get' | 'find' | 'update' | 'claim'>;

const reading = <T extends Document, Some extends Reading<T>>(documents: Some, upgrade: (stored: T) => T): Some => {
  const one = (stored: T | undefined): T | undefined => stored && upgrade(stored);
  const own: Reading<T> = {
    get: async (id) => one(await documents.get(id)),
    find: async (query) => (await documents.find(query)).map(upgrade),
    update: async (id, fn, options) => one(await documents.update(id, (stored) => fn(upgrade(stored)), options)),
    claim: async (request) => (await documents.claim(request)).map(upgrade),
  };
  return { ...documents, ...own };
};

/** The handle of an engine that returns documents in the shape that the collection declares. */
export const inShape = <T extends Document>(
  { of, acrossInstitutions }: CollectionHandle<T>,
  { upgrade }: Collection<T>,
): CollectionHandle<T> =>
  upgrade
    ? {
        of: (institution) => reading(of(institution), upgrade),
        acrossInstitutions: reading(acrossInstitutions, upgrade),
      }
    : { of, acrossInstitutions };

/**
 * Writes every document of a collection in the shape of this release, page by page, during other reads and writes: for
 * the release after the one that reads both shapes, before queries use the new one. Can be interrupted and repeated.
 */
export const rewrite = async <T extends Document>(
  store: Pick<Store, 'collection'>,
  collection: Collection<T>,
): Promise<void> => {
  const { upgrade, ...plain } = collection;
  if (!upgrade) return;
  const stored = store.collection<T>(plain).acrossInstitutions;
  for await (const document of documentsOf(stored)) {
    if (upgrade(document) === document) continue;
    await stored.update(document.id, (current) => {
      const next = upgrade(current);
      return next === current ? undefined : { next };
    });
  }
};
