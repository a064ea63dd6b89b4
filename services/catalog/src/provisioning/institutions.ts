import type { Store } from '@boxoffice/store';
import { contextOf, timestampOf } from '../context.ts';
import { type Institution, institutionProblems } from '../domain/institution.ts';
import { institutionChanged } from '../events.ts';
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
  const document = { id, name, currency, languages, demo, catalogMark, createdAt, announced: true };
  const events = [institutionChanged(id, institution)];
  return recordOf(await context.collections.institutions.insert(document, { events }));
};

/** Every institution of the installation, by id. */
export const listInstitutions = async (store: Store): Promise<Institution[]> =>
  (await store.collection(institutions).acrossInstitutions.find({ orderBy: 'id' })).map(recordOf);

/**
 * Publishes the institutions that no event has announced yet: those of a release that published none. Repeatable, by
 * any number of processes; a single indexed query when there are none.
 */
export const announceInstitutions = async (store: Store): Promise<void> => {
  const { acrossInstitutions } = store.collection(institutions);
  for (const { id } of await acrossInstitutions.find({ where: { announced: null } })) {
    await acrossInstitutions.update(id, (current) =>
      current.announced
        ? undefined
        : { next: { ...current, announced: true }, events: [institutionChanged(id, current)] },
    );
  }
};
