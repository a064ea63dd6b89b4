import { setTimeout as pause } from 'node:timers/promises';
import { type CollectionHandle, type Document, StoreUnavailable } from '@boxoffice/store';

/** How long a read is repeated while the database is unavailable or slow: a check also runs on a busy installation. */
const PATIENCE_MS = 60_000;
const BETWEEN_READS_MS = 500;

/**
 * The result of a read, repeated while the store is unavailable. @throws {StoreUnavailable} after {@link PATIENCE_MS}
 */
export const patiently = async <R>(read: () => Promise<R>): Promise<R> => {
  for (const startedAt = performance.now(); ; ) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() - startedAt > PATIENCE_MS) throw error;
      await pause(BETWEEN_READS_MS);
    }
  }
};

/** The number of documents in memory at once. */
export const PAGE = 500;

/**
 * All documents of a collection, or those of one institution, in order of id: page by page, so that memory stays
 * bounded.
 */
export async function* pagesOf<T extends Document>(
  handle: CollectionHandle<T>,
  institution?: string,
): AsyncGenerator<T[]> {
  for (let last: string | undefined; ; ) {
    const after = last === undefined ? {} : { after: { value: last, id: last } };
    // Across institutions in both cases: only the order by id alone is an index of every collection.
    const page: T[] = await patiently(() => handle.acrossInstitutions.find({ orderBy: 'id', limit: PAGE, ...after }));
    yield institution === undefined ? page : page.filter((one) => one.institution === institution);
    last = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

/** The existing documents with these ids, by id. */
export const byId = async <T extends Document>(
  handle: CollectionHandle<T>,
  ids: Iterable<string | null | undefined>,
): Promise<Map<string, T>> => {
  const wanted = [...new Set(ids)].filter((id) => id !== null && id !== undefined);
  const found = new Map<string, T>();
  for (let start = 0; start < wanted.length; start += PAGE) {
    const where = { id: { in: wanted.slice(start, start + PAGE) } };
    const page = await patiently(() => handle.acrossInstitutions.find({ where }));
    for (const one of page) found.set(one.id, one);
  }
  return found;
};

/**
 * The documents whose `field` has an owner's id, by that id; queried within each owner's institution, as the index
 * requires.
 */
export const byOwner = async <T extends Document>(
  handle: CollectionHandle<T>,
  field: keyof T & string,
  owners: readonly { readonly institution: string; readonly id: string }[],
): Promise<Map<string, T[]>> => {
  const found = new Map<string, T[]>();
  for (const institution of new Set(owners.map((owner) => owner.institution))) {
    const ids = owners.filter((owner) => owner.institution === institution).map(({ id }) => id);
    for (let start = 0; start < ids.length; start += PAGE) {
      const where = { [field]: { in: ids.slice(start, start + PAGE) } };
      for (const one of await patiently(() => handle.of(institution).find({ where }))) {
        const owner = String(one[field]);
        const group = found.get(owner);
        if (group) group.push(one);
        else found.set(owner, [one]);
      }
    }
  }
  return found;
};
