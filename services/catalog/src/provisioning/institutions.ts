import type { Store } from '@boxoffice/store';
import { contextOf, timestampOf } from '../context.ts';
import { type Institution, institutionProblems } from '../domain/institution.ts';
import { type InstitutionDocument, institutions } from '../store.ts';

const recordOf = ({ id, name, currency, languages }: InstitutionDocument): Institution => ({
  id,
  name,
  currency,
  languages,
});

/**
 * Creates an institution: the tenant of all other documents. `demo` marks one of the demo data.
 * @throws RangeError that lists what is wrong; {@link UniqueViolation} if the id is taken
 */
export const createInstitution = async (
  store: Store,
  institution: Institution & { readonly demo?: boolean },
): Promise<Institution> => {
  const problems = institutionProblems(institution);
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  const context = contextOf(store, institution.id);
  const { id, name, currency, languages, demo = false } = institution;
  const catalogMark = context.newId('mark');
  const createdAt = timestampOf(context);
  const document = { id, name, currency, languages, demo, catalogMark, createdAt };
  return recordOf(await context.collections.institutions.insert(document));
};

/** Every institution of the installation, by id. */
export const listInstitutions = async (store: Store): Promise<Institution[]> =>
  (await store.collection(institutions).acrossInstitutions.find({ orderBy: 'id' })).map(recordOf);
