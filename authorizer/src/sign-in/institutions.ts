import type { Store } from '@boxoffice/store';
import { insertOnce, institutionsCollection } from '../store.ts';

/** What the pages say of an institution. */
export interface InstitutionProfile {
  readonly name: string;
  /** Its languages, the preferred one first; those without texts are left out. */
  readonly languages: readonly string[];
}

/** The names and languages of institutions, which belong to the catalog. */
export type Institutions = ReturnType<typeof createInstitutions>;

/** Makes the institutions on a store. */
export const createInstitutions = (store: Store) => {
  const institutions = store.collection(institutionsCollection);
  const change = (institution: string, { name, languages }: InstitutionProfile, asOf: number) =>
    institutions
      .of(institution)
      .update(institution, (current) =>
        current.asOf < asOf ? { next: { ...current, name, languages, asOf } } : undefined,
      );
  return {
    /** What is known of an institution; of one that no event has announced yet, its id and every language of the pages. */
    profile: async (institution: string): Promise<InstitutionProfile> => {
      const known = await institutions.of(institution).get(institution);
      if (!known) return { name: institution, languages: ['en', 'fr', 'de'] };
      const { name, languages } = known;
      return { name, languages };
    },
    /**
     * Records what an institution is called as of a version of the catalog's document. Events may come twice and out of
     * order: an older version has no effect.
     */
    record: async (institution: string, profile: InstitutionProfile, asOf: number): Promise<void> => {
      if (await change(institution, profile, asOf)) return;
      const isFirst = await insertOnce(institutions.of(institution), { id: institution, ...profile, asOf });
      // Another event of the institution was recorded at the same time.
      if (!isFirst) await change(institution, profile, asOf);
    },
  };
};
