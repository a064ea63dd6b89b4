// The metrics that every service has: of its store, its relay and its queues.

import type { Metrics } from '@boxoffice/runtime';
import type { CollectionHandle, Document, Documents, Store } from '@boxoffice/store';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

type Call = (...given: unknown[]) => unknown;

/** The same object with its methods called through `around`. */
const around = <T extends object>(target: T, call: (operation: string, method: Call, given: unknown[]) => unknown): T =>
  new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => call(String(name), (...all) => Reflect.apply(member, of, all), given);
    },
  });

/** Wraps `fn` of an update to count its repeated calls, each caused by a concurrent write of the document. */
const countingRetries = (fn: Call, lost: () => void): Call => {
  let calls = 0;
  return (...given) => {
    calls += 1;
    if (calls > 1) lost();
    return fn(...given);
  };
};

/**
 * A service's store that times its calls by collection and operation, and counts the updates retried after a lost race.
 * `collection` is `idempotency`, `outbox` or `leases` for calls outside of any collection.
 */
export const countedStore = (store: Store, metrics: Metrics, service: string): Store => {
  const took = metrics.histogram({
    name: 'store_operation_duration_seconds',
    help: 'Time of a call of the store',
    labels: ['service', 'collection', 'operation'],
    buckets: SECONDS,
  });
  const retried = metrics.counter({
    name: 'store_update_retries_total',
    help: 'Updates retried because another write of the document came first',
    labels: ['service', 'collection'],
  });

  const timed = (collection: string, operation: string, result: unknown, startedAt: number): unknown => {
    if (!(result instanceof Promise)) return result;
    const note = () => took((performance.now() - startedAt) / 1_000, { service, collection, operation });
    result.then(note, note);
    return result;
  };
  const counted = <T extends object>(collection: string, target: T): T => {
    const lost = () => retried({ service, collection });
    return around(target, (operation, method, given) => {
      const startedAt = performance.now();
      const [id, fn, ...rest] = given;
      const isUpdate = operation === ('update' satisfies keyof Documents<Document>) && typeof fn === 'function';
      const result = isUpdate ? method(id, countingRetries(fn as Call, lost), ...rest) : method(...given);
      return timed(collection, operation, result, startedAt);
    });
  };
  const countedCollection = <T extends Document>(name: string, { of, acrossInstitutions }: CollectionHandle<T>) => ({
    of: (institution: string) => counted(name, of(institution)),
    acrossInstitutions: counted(name, acrossInstitutions),
  });
  return {
    ...store,
    collection: (declared) => countedCollection(declared.name, store.collection(declared)),
    idempotency: counted('idempotency', store.idempotency),
    outbox: counted('outbox', store.outbox),
    lease: counted('leases', { lease: store.lease }).lease,
  };
};
