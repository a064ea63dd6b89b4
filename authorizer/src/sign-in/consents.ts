import { hash } from 'node:crypto';
import { type Store, UniqueViolation } from '@boxoffice/store';
import { consentsCollection } from '../store.ts';

/** What a user agrees to. */
export interface Agreement {
  readonly institution: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The remembered consents: one per user, client and set of scopes. */
export interface Consents {
  isGiven(agreement: Agreement): Promise<boolean>;
  give(agreement: Agreement): Promise<void>;
}

const idOf = ({ institution, userId, clientId, scopes }: Agreement): string =>
  hash('sha256', JSON.stringify(['consent', institution, userId, clientId, ...scopes.toSorted()]), 'base64url');

/** Makes the consents on a store. */
export const createConsents = (store: Store, now: () => number = Date.now): Consents => {
  const consents = store.collection(consentsCollection);
  return {
    isGiven: async (agreement) => (await consents.of(agreement.institution).get(idOf(agreement))) !== undefined,
    give: async (agreement) => {
      const { institution, userId, clientId, scopes } = agreement;
      const document = { id: idOf(agreement), userId, clientId, scopes, createdAt: new Date(now()).toISOString() };
      try {
        await consents.of(institution).insert(document);
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
      }
    },
  };
};
