import type { Metrics } from '@boxoffice/runtime';
import type { CollectionHandle, Document, Store } from '@boxoffice/store';

/** The same object, telling the name of every method that is called. */
const telling = <T extends object>(target: T, tell: (operation: string) => void): T =>
  new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        tell(String(name));
        return Reflect.apply(member, of, given);
      };
    },
  });

/** A service's store that counts its calls by operation (`store_operations_total`), for an operator who looks for what costs. */
export const countedStore = (store: Store, metrics: Metrics, service: string): Store => {
  const calls = metrics.counter({
    name: 'store_operations_total',
    help: 'Calls of the store',
    labels: ['service', 'operation'],
  });
  const tell = (operation: string): void => calls({ service, operation });
  const counted = <T extends Document>({ of, acrossInstitutions }: CollectionHandle<T>): CollectionHandle<T> => ({
    of: (institution) => telling(of(institution), tell),
    acrossInstitutions: telling(acrossInstitutions, tell),
  });
  return {
    ...store,
    collection: (declared) => counted(store.collection(declared)),
    idempotency: telling(store.idempotency, (operation) => tell(`idempotency_${operation}`)),
    outbox: telling(store.outbox, (operation) => tell(`outbox_${operation}`)),
    lease: (name, ms) => {
      tell('lease');
      return store.lease(name, ms);
    },
  };
};
