import { type Store, UniqueViolation } from '@boxoffice/store';
import { institutionsCollection } from '../store.ts';

/** What the pages say of an institution. */
export interface InstitutionProfile {
  readonly name: string;
  /** Its languages, the preferred one first; those without texts are left out. */
  readonly languages: readonly string[];
}

/** The names and languages of institutions, which belong to the catalog. */
export interface Institutions {
  /** What is known of an institution; of one that no event has announced yet, its id and every language of the pages. */
  profile(institution: string): Promise<InstitutionProfile>;
  /**
   * Records what an institution is called as of a version of the catalog's document. Events may come twice and out of
   * order: an older version has no effect.
   */
  record(institution: string, profile: InstitutionProfile, asOf: number): Promise<void>;
}

/** Makes the institutions on a store. */
export const createInstitutions = (store: Store): Institutions => {
  const change = (institution: string, { name, languages }: InstitutionProfile, asOf: number) =>
    store
      .collection(institutionsCollection)
      .of(institution)
      .update(institution, (current) =>
        current.asOf < asOf ? { next: { ...current, name, languages, asOf } } : undefined,
      );
  return {
    profile: async (institution) => {
      const known = await store.collection(institutionsCollection).of(institution).get(institution);
      if (!known) return { name: institution, languages: ['en', 'fr', 'de'] };
      const { name, languages } = known;
      return { name, languages };
    },
    record: async (institution, profile, asOf) => {
      if (await change(institution, profile, asOf)) return;
      const { name, languages } = profile;
      try {
        await store
          .collection(institutionsCollection)
          .of(institution)
          .insert({ id: institution, name, languages, asOf });
      } catch (error) {
        // Another event of the institution was recorded at the same time.
        if (!(error instanceof UniqueViolation)) throw error;
        await change(institution, profile, asOf);
      }
    },
  };
};
