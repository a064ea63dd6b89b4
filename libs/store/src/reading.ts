import { getValue } from './bounds.ts';
import type {
  Change,
  Collection,
  CollectionHandle,
  Document,
  Documents,
  DueChange,
  FoundTogether,
  Looks,
  Query,
  Store,
} from './port.ts';
import { wrapCollection } from './wrapping.ts';

/** Documents in memory at once. */
const PAGE = 200;

/** Each comes once, also if it is changed so that the query does not find it any more. New ones may be missed. */
export async function* readDocuments<T extends Document>(
  documents: Pick<Documents<T>, 'find'>,
  query: Omit<Query, 'limit'> = {},
): AsyncGenerator<T> {
  for (let { after } = query; ; ) {
    const page: T[] = await documents.find({ orderBy: 'id', ...query, limit: PAGE, ...(after && { after }) });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = { value: getValue(last, query.orderBy ?? 'id'), id: last.id };
  }
}

/** In the order of the query: reads on, `least` at once or more, until `fitting` has left as many as are wanted. */
export function findFitting<D extends { readonly id: string }>(
  documents: { find(query: Query): Promise<readonly D[]> },
  fitting: (found: readonly D[]) => readonly D[] | Promise<readonly D[]>,
  least = 1,
) {
  return {
    async find({ limit = Number.MAX_SAFE_INTEGER, ...query }: Query): Promise<D[]> {
      const fit: D[] = [];
      const batch = Math.max(limit, least);
      for (let { after } = query; ; ) {
        const found = await documents.find({ ...query, ...(after && { after }), limit: batch });
        fit.push(...(await fitting(found)));
        const last = found.at(-1);
        if (!last || found.length < batch || fit.length >= limit) return fit.slice(0, limit);
        after = { value: getValue(last, query.orderBy ?? 'id'), id: last.id };
      }
    },
  };
}

export function readAllDocuments<T extends Document>(handle: CollectionHandle<T>): AsyncGenerator<T> {
  return readDocuments(handle.acrossInstitutions);
}

/** Up to `width` at a time. Goes on after a failure, then throws the first one, so that a repeat has less to do. */
export async function runForEach<T>(
  items: AsyncGenerator<T> | ArrayIterator<T>,
  width: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for await (const item of items) await act(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: width }, work));
  if (failures.length > 0) throw failures[0];
}

/** `getTogether` of an engine, over its collections. */
export function createGetTogether(collection: Store['collection']): Store['getTogether'] {
  return async <All extends Looks>(institution: string, looks: All) => {
    const each = Object.entries(looks).map(async ([name, { collection: declared, ids }]) => {
      const { get, find } = collection(declared).of(institution);
      const [id, ...others] = new Set(ids);
      const one = id === undefined || others.length > 0 ? undefined : await get(id);
      const found = others.length > 0 ? await find({ where: { id: { in: [...ids] } } }) : one ? [one] : [];
      return [name, new Map(found.map((each) => [each.id, each]))] as const;
    });
    return Object.fromEntries(await Promise.all(each)) as object as FoundTogether<All>;
  };
}

export function upgradeReads<T extends Document>(
  handle: CollectionHandle<T>,
  { upgrade }: Collection<T>,
): CollectionHandle<T> {
  if (!upgrade) return handle;
  const one = (stored: T | undefined): T | undefined => stored && upgrade(stored);
  return wrapCollection(handle, {
    get: (get) => async (id) => one(await get(id)),
    find: (find) => async (query) => (await find(query)).map(upgrade),
    update: (update) => async (id, fn, options) =>
      one(await update(id, (stored) => changeOf(stored, upgrade, fn), options)),
    claim: (claim) => async (request) => (await claim(request)).map(upgrade),
    claimDue: (claimDue) => async (request) =>
      (await claimDue(request)).map(({ document, work }) => ({ document: upgrade(document), work })),
    listDue: (listDue) => async (query) => (await listDue(query)).map(upgrade),
  });
}

/** What `fn` makes of the document in today's shape, for a write of the stored one. */
const changeOf = <T extends Document>(
  stored: T,
  upgrade: (stored: T) => T,
  fn: (current: T) => Change<T> | undefined,
): Change<T> | undefined => {
  const upgraded = upgrade(stored);
  const change = fn(upgraded);
  return change && withUpgradedDue(change, stored, upgraded);
};

/** The change, with the work that an earlier release has marked in another way. */
const withUpgradedDue = <T extends Document>(change: Change<T>, stored: T, upgraded: T): Change<T> => {
  const marked = Object.entries(upgraded.due ?? {}).filter(([name]) => stored.due?.[name] === undefined);
  if (marked.length === 0) return change;
  const due: DueChange = Object.fromEntries(marked.map(([name, { at }]) => [name, at]));
  return { ...change, due: { ...due, ...change.due } };
};

/** Before queries use the new shape. Can be interrupted and repeated, beside other writes. `where`: on the old one. */
export async function rewrite<T extends Document>(
  store: Pick<Store, 'collection'>,
  collection: Collection<T>,
  query: Pick<Query, 'where' | 'index'> = {},
): Promise<void> {
  const { upgrade, ...plain } = collection;
  if (!upgrade) return;
  const stored = store.collection<T>(plain).acrossInstitutions;
  for await (const document of readDocuments(stored, query)) {
    if (upgrade(document) === document) continue;
    await stored.update(document.id, (current) =>
      changeOf(current, upgrade, (next) => (next === current ? undefined : { next })),
    );
  }
}
