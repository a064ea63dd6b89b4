import {
  type Collection,
  type CollectionHandle,
  type Document,
  type Documents,
  type Store,
  StoreUnavailable,
} from '@boxoffice/store';

/** What is still due of an order at the death of its process, named in the order's `externalReference`. */
export const INTERRUPTED = {
  saleDue: 'paid, and dies before it is confirmed',
  removedPlaces: 'dies before the place of a removed line is released',
} as const;

interface OrderOfDeadProcess extends Document {
  readonly externalReference?: string | null;
  readonly saleDue?: object | null;
  readonly removedPlaces?: object | null;
}

/** Whether the write that made something due was its process's last one. */
const isInterrupted = (order: OrderOfDeadProcess): boolean =>
  (Object.keys(INTERRUPTED) as (keyof typeof INTERRUPTED)[]).some(
    (due) => order.externalReference === INTERRUPTED[due] && order[due] != null,
  );

/** The store of orders whose process dies after one write of some orders: what is due then stays behind. */
export const interruptedStore = (store: Store): Store => {
  const interrupted =
    <T extends Document>(documents: Pick<Documents<T>, 'update'>): Documents<T>['update'] =>
    (id, fn, options) => {
      const unlessInterrupted: typeof fn = (current) => {
        if (isInterrupted(current)) throw new StoreUnavailable('its process is dead');
        return fn(current);
      };
      return documents.update(id, unlessInterrupted, options);
    };
  return {
    ...store,
    collection<T extends Document>(declared: Collection<T>): CollectionHandle<T> {
      const { of, acrossInstitutions } = store.collection(declared);
      return {
        of(institution): Documents<T> {
          const documents = of(institution);
          return { ...documents, update: interrupted(documents) };
        },
        acrossInstitutions: { ...acrossInstitutions, update: interrupted(acrossInstitutions) },
      };
    },
  };
};
