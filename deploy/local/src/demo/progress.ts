import { collection, type Document, type Store, UniqueViolation } from '@boxoffice/store';
import type { FixtureIds } from './catalogue.ts';

/** The fixtures of each institution. */
export type AllFixtures = Readonly<Record<string, FixtureIds>>;

/** The progress of an installation's seeding. */
export type SeedingState =
  | { readonly state: 'never' }
  | { readonly state: 'begun' }
  | { readonly state: 'done'; readonly fixtures: AllFixtures };

/** The installation's record of it. */
type Note = Document & Exclude<SeedingState, { readonly state: 'never' }>;

const notes = collection<Note>('demo', []);

/** The collections in which `npm start` stores its own records. */
export const progressCollections = [notes];

/** The record of the seeding. It is stored with the data, so that it is true for any data directory. */
export interface Progress {
  state(): Promise<SeedingState>;
  begin(): Promise<void>;
  finish(fixtures: AllFixtures): Promise<void>;
}

const ID = 'seeding';

/** The progress recorded in a store. */
export const progressIn = (store: Store): Progress => {
  const documents = store.collection(notes).of('installation');
  return {
    state: async () => (await documents.get(ID)) ?? { state: 'never' },
    async begin() {
      await documents.insert({ id: ID, state: 'begun' }).catch((error: unknown) => {
        if (!(error instanceof UniqueViolation)) throw error;
      });
    },
    async finish(fixtures) {
      await documents.update(ID, () => ({ next: { id: ID, state: 'done', fixtures } }));
    },
  };
};
