import type { CollectionHandle, Document } from '@boxoffice/store';

/** So many documents are in hand at once. */
export const PAGE = 500;

/** All documents of a collection, or those of one institution, in order of their ids: page by page, so that memory does not grow with them. */
export async function* pagesOf<T extends Document>(
  handle: CollectionHandle<T>,
  institution?: string,
): AsyncGenerator<T[]> {
  for (let last: string | undefined; ; ) {
    const after = last === undefined ? {} : { after: { value: last, id: last } };
    // Over all institutions in any case: only the order by id alone is an index of every collection.
    const page: T[] = await handle.acrossInstitutions.find({ orderBy: 'id', limit: PAGE, ...after });
    yield institution === undefined ? page : page.filter((one) => one.institution === institution);
    last = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

/** The documents of these ids that exist, by id. */
export const byId = async <T extends Document>(
  handle: CollectionHandle<T>,
  ids: Iterable<string | null | undefined>,
): Promise<Map<string, T>> => {
  const wanted = [...new Set(ids)].filter((id) => id !== null && id !== undefined);
  const found = new Map<string, T>();
  for (let start = 0; start < wanted.length; start += PAGE) {
    const where = { id: { in: wanted.slice(start, start + PAGE) } };
    for (const one of await handle.acrossInstitutions.find({ where })) found.set(one.id, one);
  }
  return found;
};

/** The documents whose `field` has the id of one of these owners, by that id; within each owner's institution, as its index wants. */
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
      for (const one of await handle.of(institution).find({ where })) {
        const owner = String(one[field]);
        const group = found.get(owner);
        if (group) group.push(one);
        else found.set(owner, [one]);
      }
    }
  }
  return found;
};
