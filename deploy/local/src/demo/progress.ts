import { collection, type Document, type Store, UniqueViolation } from '@boxoffice/store';
import type { FixtureIds } from './catalogue.ts';

/** Where the fixtures of each institution are. */
export type AllFixtures = Readonly<Record<string, FixtureIds>>;

/** How far the seeding of an installation is. */
export type SeedingState =
  | { readonly state: 'never' }
  | { readonly state: 'begun' }
  | { readonly state: 'done'; readonly fixtures: AllFixtures };

/** The installation's note of it. */
type Note = Document & Exclude<SeedingState, { readonly state: 'never' }>;

const notes = collection<Note>('demo', []);

/** The collections of the store in which `npm start` keeps its own notes. */
export const progressCollections = [notes];

/** The note of the seeding. It lies with the data, so that it is true whichever data directory goes with them. */
export interface Progress {
  state(): Promise<SeedingState>;
  begin(): Promise<void>;
  finish(fixtures: AllFixtures): Promise<void>;
}

const ID = 'seeding';

/** The progress noted in a store. */
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
