import { valueAt } from './bounds.ts';
import type { CollectionHandle, Document, Documents, Query } from './port.ts';

/** Documents in memory at once. */
const PAGE = 200;

/**
 * The documents of a query, read page by page as they are taken: each comes once, also if it is left unchanged, or
 * changed so that the query does not find it any more. Documents written during the iteration may be missed.
 */
export async function* documentsOf<T extends Document>(
  documents: Pick<Documents<T>, 'find'>,
  query: Omit<Query, 'limit'> = {},
): AsyncGenerator<T> {
  for (let { after } = query; ; ) {
    const page: T[] = await documents.find({ orderBy: 'id', ...query, limit: PAGE, ...(after && { after }) });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = { value: valueAt(last, query.orderBy ?? 'id'), id: last.id };
  }
}

/** Every document of a collection, of all institutions, by id. */
export const everyDocument = <T extends Document>(handle: CollectionHandle<T>): AsyncGenerator<T> =>
  documentsOf(handle.acrossInstitutions);

/**
 * Runs `act` on every item of an iterator, up to `width` at a time. Goes on after a failure, then throws the first one,
 * so that a repeat has less to do.
 */
export const eachOf = async <T>(
  items: AsyncGenerator<T> | ArrayIterator<T>,
  width: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> => {
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for await (const item of items) await act(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: width }, work));
  if (failures.length > 0) throw failures[0];
};
