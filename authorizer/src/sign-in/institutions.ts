import type { Store } from '@boxoffice/store';
import { institutionsCollection, upsert } from '../store.ts';

export interface InstitutionProfile {
  readonly name: string;
  /** Its languages, the preferred one first; those without texts are left out. */
  readonly languages: readonly string[];
}

export type Institutions = ReturnType<typeof createInstitutions>;

export function createInstitutions(store: Store) {
  const institutions = store.collection(institutionsCollection);
  return {
    /** Of an institution that no event has announced yet, its id and every language of the pages. */
    profile: async (institution: string): Promise<InstitutionProfile> => {
      const known = await institutions.of(institution).get(institution);
      if (!known) return { name: institution, languages: ['en', 'fr', 'de'] };
      const { name, languages } = known;
      return { name, languages };
    },
    /** Events may come twice and out of order: an older version has no effect. */
    record: (institution: string, { name, languages }: InstitutionProfile, asOf: number): Promise<void> =>
      upsert(institutions.of(institution), institution, (current) =>
        current && current.asOf >= asOf ? undefined : { ...current, id: institution, name, languages, asOf },
      ),
  };
}
