import {
  type Collection,
  type CollectionHandle,
  type Document,
  type Documents,
  type Store,
  StoreUnavailable,
} from '@boxoffice/store';

/** The pending step at the death of its process, named in the order's `externalReference`. */
export const INTERRUPTED = { create: 'dies while it is created', confirm: 'dies while it is confirmed' } as const;

interface OrderWithStep extends Document {
  readonly externalReference?: string | null;
  readonly pendingStep?: { readonly step: string } | null;
}

/** Whether the write that started the step was its process's last one. */
const isInterrupted = ({ externalReference, pendingStep }: OrderWithStep): boolean =>
  Object.entries(INTERRUPTED).some(
    ([step, reference]) => externalReference === reference && pendingStep?.step === step,
  );

/** The store of orders whose process dies in the middle of a step for some orders: their pending steps stay behind. */
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
