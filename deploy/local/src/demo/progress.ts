import { collection, type Document, type Store, UniqueViolation } from '@boxoffice/store';
import type { FixtureIds } from './catalogue.ts';

/** The fixtures of each institution. */
export type AllFixtures = Readonly<Record<string, FixtureIds>>;

/** The progress of an installation's seeding. */
type SeedingState =
  | { readonly state: 'never' }
  | { readonly state: 'started' }
  | { readonly state: 'done'; readonly fixtures: AllFixtures };

/** The installation's record of it. */
type SeedingRecord = Document & Exclude<SeedingState, { readonly state: 'never' }>;

const records = collection<SeedingRecord>('demo', []);

/** The collections in which `npm start` stores its own records. */
export const progressCollections = [records];

/** The record of the seeding. It is stored with the data, so that it is true for any data directory. */
export interface Progress {
  state(): Promise<SeedingState>;
  begin(): Promise<void>;
  finish(fixtures: AllFixtures): Promise<void>;
}

const ID = 'seeding';

/** The progress recorded in a store. */
export const progressIn = (store: Store): Progress => {
  const documents = store.collection(records).of('installation');
  return {
    state: async () => (await documents.get(ID)) ?? { state: 'never' },
    async begin() {
      await documents.insert({ id: ID, state: 'started' }).catch((error: unknown) => {
        if (!(error instanceof UniqueViolation)) throw error;
      });
    },
    async finish(fixtures) {
      await documents.update(ID, () => ({ next: { id: ID, state: 'done', fixtures } }));
    },
  };
};
