import type { Collection, Document, Documents, DueDocuments, New, Store, WriteOptions } from '../../src/index.ts';
import { openStore as openSqlite } from '../sqlite/engine.ts';

// Stores that each break one guarantee of the port, wrapped around one that satisfies it.

type Wrap = <T extends Document>(
  documents: Documents<T>,
  institution: string,
  all: Partial<Documents<T>>,
) => Documents<T>;

const wrapped = (store: Store, wrap: Wrap): Store => ({
  ...store,
  collection<T extends Document>(collection: Collection<T>) {
    const handle = store.collection(collection);
    const all = handle.acrossInstitutions;
    return { of: (institution: string) => wrap<T>(handle.of(institution), institution, all), acrossInstitutions: all };
  },
});

type WrapDue = <T extends Document>(
  due: DueDocuments<T>,
  documents: Pick<Documents<T>, 'get'>,
) => Partial<DueDocuments<T>>;

/** Ends and moves work whatever has become of it since it was claimed. */
export function removeConditionalEnd(store: Store): Store {
  return withDue(store, ({ moveDue }, { get }) => ({
    async moveDue(id, name, from, to) {
      const current = (await get(id))?.due?.[name];
      return current ? moveDue(id, name, current, to) : moveDue(id, name, from, to);
    },
  }));
}

/** The store with other methods for due work. */
const withDue = (store: Store, wrap: WrapDue): Store => ({
  ...store,
  collection<T extends Document>(collection: Collection<T>) {
    const { of, acrossInstitutions } = store.collection(collection);
    return { of, acrossInstitutions: { ...acrossInstitutions, ...wrap<T>(acrossInstitutions, acrossInstitutions) } };
  },
});

/** Claims by looking for due work first, and returns it whoever gets the claim. */
export function removeConditionalClaim(store: Store): Store {
  return withDue(store, ({ claimDue, listDue }) => ({
    async claimDue(request) {
      const found = await listDue({ until: request.now, limit: request.limit });
      const claimed = await claimDue(request);
      return claimed.length === 0 ? found.map((document) => ({ document, work: Object.keys(request.forMs) })) : claimed;
    },
  }));
}

/** Claims for good. */
export function makeClaimsEndless(store: Store): Store {
  return withDue(store, ({ claimDue }) => ({
    claimDue: ({ forMs, ...request }) =>
      claimDue({ ...request, forMs: Object.fromEntries(Object.keys(forMs).map((name) => [name, 1e12])) }),
  }));
}

/** Reads and writes without the tenant filter. */
export function removeTenantFilter(store: Store): Store {
  return wrapped(store, (documents, _institution, all) => {
    const { insert, insertMany } = documents;
    return { ...documents, ...all, insert, insertMany };
  });
}

/** Updates by reading, computing and overwriting, without a check for other writes. */
export function removeCompareAndSwap(store: Store): Store {
  return wrapped(store, (documents) => ({
    ...documents,
    async update(id, fn, options) {
      const current = await documents.get(id);
      const change = current && fn(current);
      return change ? documents.update(id, () => change, options) : current;
    },
  }));
}

/** Returns documents in the stored shape, ignoring the shape that the reader declares. */
export function removeShapes(store: Store): Store {
  return {
    ...store,
    collection: ({ upgrade: _upgrade, ...plain }) => store.collection(plain),
  };
}

/** Claims by finding free documents first and taking them one by one, without a check for other claims. */
export function removeAtomicClaim(store: Store): Store {
  return wrapped(store, (documents) => ({
    ...documents,
    async claim({ where, set, limit }) {
      const found = await documents.find({ where, ...(limit === undefined ? {} : { limit }) });
      const taken = await Promise.all(
        found.map(({ id }) => documents.update(id, (current) => ({ next: { ...current, ...set } }))),
      );
      return taken.filter((one) => one !== undefined);
    },
  }));
}

/** Writes the events first, separately. */
export function writeEventsFirst(store: Store): Store {
  return wrapped(store, <T extends Document>(documents: Documents<T>) => {
    const publish = async (id: string, events: WriteOptions<T>['events'] = []) => {
      const carrier = { id: `carrier-${id}-${Math.random()}`, name: 'carrier' } as unknown as New<T>;
      await documents.insert(carrier, { events: events.map((one) => ({ key: id, ...one })) });
      await documents.delete(carrier.id);
    };
    return {
      ...documents,
      async insert(document: New<T>, { events, ...options }: WriteOptions<T> = {}) {
        await publish(document.id, events);
        return documents.insert(document, options);
      },
    };
  });
}

/** Writes the events after the document: those of one write together with the next. */
const withEventsAfter = (store: Store): Store => {
  let late: WriteOptions<Document>['events'] = [];
  return wrapped(store, <T extends Document>(documents: Documents<T>) => ({
    ...documents,
    insert(document: New<T>, options: WriteOptions<T> = {}) {
      const events = late;
      late = options.events?.map((one) => ({ key: document.id, ...one }));
      return documents.insert(document, { ...options, events });
    },
  }));
};

/** Acknowledges an insert and executes it with the next one. */
const withEarlyAcknowledgement = (store: Store): Store => {
  let held: (() => Promise<unknown>) | undefined;
  return wrapped(store, <T extends Document>(documents: Documents<T>, institution: string) => ({
    ...documents,
    async insert(document: New<T>, options?: WriteOptions<T>) {
      const before = held;
      held = () => documents.insert(document, options);
      await before?.();
      return { ...document, version: 1, institution } as unknown as T;
    },
  }));
};

/** Ignores the idempotency record of a write. */
export function removeIdempotencyRecords(store: Store): Store {
  return wrapped(store, (documents) => ({
    ...documents,
    insert: (document, options) => documents.insert(document, { ...options, idempotencyRecord: undefined }),
    update: (id, fn, options) => documents.update(id, fn, { ...options, idempotencyRecord: undefined }),
  }));
}

/** Writes the idempotency record separately, before its write or after it. */
export function separateIdempotencyRecords(order: 'before' | 'after') {
  return (store: Store): Store =>
    wrapped(store, <T extends Document>(documents: Documents<T>) => ({
      ...documents,
      async insert(document: New<T>, { idempotencyRecord, ...options }: WriteOptions<T> = {}) {
        const remember = async (written: T) => {
          if (!idempotencyRecord) return;
          await store.idempotency.remember(idempotencyRecord, idempotencyRecord.answer(written));
        };
        if (order === 'before') await remember({ ...document, version: 1 } as unknown as T);
        const written = await documents.insert(document, options);
        if (order === 'after') await remember(written);
        return written;
      },
    }));
}

/** Remembers an answer in two steps, without a check for other ones. */
export function removeFirstAnswerCheck(store: Store): Store {
  const keys = store.idempotency;
  const latest = new Map<string, Awaited<ReturnType<typeof keys.find>>>();
  return {
    ...store,
    idempotency: {
      ...keys,
      find: async (key) => latest.get(key) ?? keys.find(key),
      async remember(request, answer) {
        const first = latest.get(request.key) ?? (await keys.find(request.key));
        if (!first) latest.set(request.key, { fingerprint: request.fingerprint, answer });
        return first;
      },
    },
  };
}

/** Pages by the value alone, without the id as tie-break. */
export function removeTieBreak(store: Store): Store {
  return wrapped(store, (documents) => ({
    ...documents,
    find: (query = {}) =>
      documents.find(
        query.after ? { ...query, after: { ...query.after, id: query.descending ? '' : '\uffff' } } : query,
      ),
  }));
}

/** Doubles whose fault shows when their process is killed. */
const killed = { 'late-events': withEventsAfter, 'early-acknowledgement': withEarlyAcknowledgement };

/** The name of a double of a writer that is killed. */
export type KilledDouble = keyof typeof killed;

/** The store that the killed writer opens. */
export async function openStore(
  { double, ...settings }: { readonly directory: string; readonly double: KilledDouble },
  collections: readonly Collection<Document>[],
): Promise<Store> {
  return killed[double](await openSqlite(settings, collections));
}
