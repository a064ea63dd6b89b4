import type { CollectionHandle, Document, Documents, DueDocuments, New } from './port.ts';

/** What is called in place of some methods; `wrapped` has all as they are called from outside. */
export type Wraps<M, Wrapped = M> = { readonly [Name in keyof M]?: (method: M[Name], wrapped: Wrapped) => M[Name] };

/** What is called in place of each method. */
type WrapEach = <Method>(method: Method, name: string) => Method;

/** Made once, so that a call of a method that stays as it is costs nothing more. */
export function wrapMethods<M extends object>(methods: M, wraps: Wraps<M> | WrapEach): M {
  const wrapped = { ...methods };
  for (const name in methods) {
    const method = methods[name];
    wrapped[name] = typeof wraps === 'function' ? wraps(method, name) : (wraps[name]?.(method, wrapped) ?? method);
  }
  return wrapped;
}

/** The methods of the documents of one institution, and of those across all. */
export function wrapCollection<T extends Document>(
  { of, acrossInstitutions }: CollectionHandle<T>,
  wraps: Wraps<Documents<T> & DueDocuments<T>, unknown> | WrapEach,
): CollectionHandle<T> {
  return {
    of: (institution) => wrapMethods(of(institution), wraps),
    acrossInstitutions: wrapMethods(acrossInstitutions, wraps),
  };
}

/** Every way in of new documents. */
export function wrapInserts<T extends Document>(enter: <D extends New<T>>(document: D) => D) {
  return {
    insert: (insert) => async (document, options) => insert(enter(document), options),
    insertMany: (insertMany) => async (many, options) => insertMany(many.map(enter), options),
    insertInOrder: (insertInOrder) => async (many) => insertInOrder(many.map(enter)),
  } satisfies Wraps<Documents<T>, unknown>;
}
