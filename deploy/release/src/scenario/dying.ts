import {
  type Collection,
  type CollectionHandle,
  type Document,
  type Documents,
  type Store,
  StoreUnavailable,
} from '@boxoffice/store';

/** The pending step at the death of its process, named in the order's `externalReference`. */
export const DYING = { create: 'dies while it is created', confirm: 'dies while it is confirmed' } as const;

interface Marked extends Document {
  readonly externalReference?: string | null;
  readonly pendingStep?: { readonly step: string } | null;
}

/** Whether the write that started the step was its process's last one. */
const hasDied = ({ externalReference, pendingStep }: Marked): boolean =>
  Object.entries(DYING).some(([step, reference]) => externalReference === reference && pendingStep?.step === step);

/** The store of orders whose process dies in the middle of a step for some orders: their pending steps stay behind. */
export const dyingStore = (store: Store): Store => {
  const dying =
    <T extends Document>(documents: Pick<Documents<T>, 'update'>): Documents<T>['update'] =>
    (id, fn, options) => {
      const unlessDead: typeof fn = (current) => {
        if (hasDied(current)) throw new StoreUnavailable('its process is dead');
        return fn(current);
      };
      return documents.update(id, unlessDead, options);
    };
  return {
    ...store,
    collection<T extends Document>(declared: Collection<T>): CollectionHandle<T> {
      const { of, acrossInstitutions } = store.collection(declared);
      return {
        of(institution): Documents<T> {
          const documents = of(institution);
          return { ...documents, update: dying(documents) };
        },
        acrossInstitutions: { ...acrossInstitutions, update: dying(acrossInstitutions) },
      };
    },
  };
};
