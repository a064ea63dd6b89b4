import { hash } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { consentsCollection, insertOnce } from '../store.ts';

/** What a user agrees to. */
interface Agreement {
  readonly institution: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

const idOf = ({ institution, userId, clientId, scopes }: Agreement): string =>
  hash('sha256', JSON.stringify(['consent', institution, userId, clientId, ...scopes.toSorted()]), 'base64url');

/** The remembered consents: one per user, client and set of scopes. */
export type Consents = ReturnType<typeof createConsents>;

/** Makes the consents on a store. */
export const createConsents = (store: Store, now: () => number) => {
  const consents = store.collection(consentsCollection);
  return {
    isGiven: async (agreement: Agreement): Promise<boolean> =>
      (await consents.of(agreement.institution).get(idOf(agreement))) !== undefined,
    give: async ({ institution, ...agreed }: Agreement): Promise<void> => {
      const id = idOf({ institution, ...agreed });
      await insertOnce(consents.of(institution), { id, ...agreed, createdAt: new Date(now()).toISOString() });
    },
  };
};
