/** What the pages say of an institution. */
export interface InstitutionProfile {
  readonly name: string;
  /** Its languages, the preferred one first; those without texts are left out. */
  readonly languages: readonly string[];
}

/** Looks up institutions. */
export interface Institutions {
  profile(institution: string): Promise<InstitutionProfile>;
}

/** Institutions by their ids. */
export const institutionsById: Institutions = {
  profile: async (institution) => ({ name: institution, languages: ['en', 'fr', 'de'] }),
};
