import type { Collection, CollectionHandle, Document, Documents, DueDocuments, New } from './port.ts';

/** What is called in place of some methods; `wrapped` has all as they are called from outside. */
export type Wraps<M, Wrapped = M> = { readonly [Name in keyof M]?: (method: M[Name], wrapped: Wrapped) => M[Name] };

/** What is called in place of each method. */
type WrapEach = <Method>(method: Method, name: string) => Method;

/** How many institutions' documents are kept at hand; above, all are made anew. */
const KEPT = 100;

/** What `make` makes of a key, made once: requests would else make every method of every collection anew. */
export function keepByKey<Made>(make: (key: string) => Made): (key: string) => Made {
  const made = new Map<string, Made>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    if (made.size >= KEPT) made.clear();
    made.set(key, fresh);
    return fresh;
  };
}

export function keepHandles(
  make: <T extends Document>(declared: Collection<T>) => CollectionHandle<T>,
): <T extends Document>(declared: Collection<T>) => CollectionHandle<T> {
  const made = new WeakMap<object, unknown>();
  return <T extends Document>(declared: Collection<T>) => {
    const known = made.get(declared) as CollectionHandle<T> | undefined;
    if (known) return known;
    const fresh = make(declared);
    made.set(declared, fresh);
    return fresh;
  };
}

/** Made once, so that a call of a method that stays as it is costs nothing more. */
export function wrapMethods<M extends object>(methods: M, wraps: Wraps<M> | WrapEach): M {
  const wrapped = { ...methods };
  for (const name in methods) {
    const method = methods[name];
    wrapped[name] = typeof wraps === 'function' ? wraps(method, name) : (wraps[name]?.(method, wrapped) ?? method);
  }
  return wrapped;
}

export function wrapCollection<T extends Document>(
  { of, acrossInstitutions }: CollectionHandle<T>,
  wraps: Wraps<Documents<T> & DueDocuments<T>, unknown> | WrapEach,
): CollectionHandle<T> {
  return {
    of: keepByKey((institution) => wrapMethods(of(institution), wraps)),
    acrossInstitutions: wrapMethods(acrossInstitutions, wraps),
  };
}

export function wrapInserts<T extends Document>(enter: <D extends New<T>>(document: D) => D) {
  return {
    insert: (insert) => async (document, options) => insert(enter(document), options),
    insertMany: (insertMany) => async (many, options) => insertMany(many.map(enter), options),
    insertInOrder: (insertInOrder) => async (many) => insertInOrder(many.map(enter)),
  } satisfies Wraps<Documents<T>, unknown>;
}
