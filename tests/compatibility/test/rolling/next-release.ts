import { type AnyOperation, ok, operation } from '@boxoffice/http';
import type { Collection, CollectionHandle, Document, Documents, Fact, Store, WriteOptions } from '@boxoffice/store';
import { Type } from 'typebox';
import type { AnyService } from '../../src/scenario/open-scenario.ts';

/** The member that the next release adds to everything, unknown to the present one. */
export const ADDED = { addedByTheNextRelease: { since: 'the next release' } };

const withMore = <T extends object>(value: T): T => ({ ...value, ...ADDED });

const withMoreMembers = (facts: readonly Fact[] = []): Fact[] =>
  facts.map((fact) => ({ ...fact, data: withMore(fact.data) }));

const options = <T>(given: WriteOptions<T> = {}): WriteOptions<T> => ({
  ...given,
  events: withMoreMembers(given.events),
});

/**
 * The store of the next release: its documents and facts have an additional member, and it reads documents without it.
 */
const nextStore = (store: Store, inserted: (id: string) => void): Store => {
  const update =
    <T extends Document>(documents: Pick<Documents<T>, 'update'>): Documents<T>['update'] =>
    (id, fn, given) =>
      documents.update(
        id,
        (current) => {
          const change = fn(current);
          return change && { ...change, events: withMoreMembers(change.events) };
        },
        options(given),
      );
  return {
    ...store,
    collection<T extends Document>(declared: Collection<T>): CollectionHandle<T> {
      const shaped: Collection<T> = {
        ...declared,
        upgrade: (stored) => ('addedByTheNextRelease' in stored ? stored : withMore(stored)),
      };
      const { of, acrossInstitutions } = store.collection(shaped);
      return {
        of(institution): Documents<T> {
          const documents = of(institution);
          return {
            ...documents,
            async insert(document, given) {
              // Noted once it is written: the other release may have inserted the same document meanwhile.
              const written = await documents.insert(withMore(document), options(given));
              inserted(`${declared.name}/${document.id}`);
              return written;
            },
            insertMany: (all) => documents.insertMany(all.map(withMore)),
            update: update(documents),
          };
        },
        acrossInstitutions: { ...acrossInstitutions, update: update(acrossInstitutions) },
      };
    },
  };
};

/** An operation that the present release lacks. */
const summary = (name: string): AnyOperation =>
  operation({
    id: `summarize${name}`,
    method: 'get',
    path: `/internal/${name}/summary`,
    access: 'internal',
    summary: 'Is new',
    answers: { 200: Type.Object({}) },
    example: { answer: {} },
    handle: () => ok({}),
  });

/** Messages between services have an additional member. */
const answeringMore = (declared: AnyOperation): AnyOperation => {
  const { handle, access } = declared;
  if (!handle || access !== 'internal') return declared;
  return {
    ...declared,
    handle: async (request) => {
      const answer = await handle(request);
      const data: unknown = answer.data;
      const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
      return isObject ? { ...answer, data: withMore(data) as never } : answer;
    },
  };
};

/** The next release of a service, to run beside the present one. `inserted` receives every document that it creates. */
export const nextRelease =
  (inserted: (service: string, id: string) => void) =>
  (present: AnyService): { readonly definition: AnyService; store(store: Store): Store } => ({
    definition: {
      ...present,
      version: '99.0.0',
      operations: (parts, state) => [...present.operations(parts, state).map(answeringMore), summary(present.name)],
    },
    store: (store) => nextStore(store, (id) => inserted(present.name, id)),
  });
