import type { CollectionHandle, Document } from './port.ts';

/** Documents in memory at once. */
const PAGE = 500;

/** Every document of a collection, of all institutions, by id. Documents written during the iteration may be missed. */
export async function* everyDocument<T extends Document>(handle: CollectionHandle<T>): AsyncGenerator<T> {
  for (let last: string | undefined; ; ) {
    const after = last === undefined ? {} : { after: { value: last, id: last } };
    const page: T[] = await handle.acrossInstitutions.find({ orderBy: 'id', limit: PAGE, ...after });
    yield* page;
    last = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}
