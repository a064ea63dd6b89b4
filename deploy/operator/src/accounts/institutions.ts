// The operator's commands for institutions, clients, users, points of sale, keys and service secrets.

import { createInstitution, type Institution, listInstitutions } from '@boxoffice/catalog';
import { type Command, listOf, nameOf, required } from '../command.ts';
import type { Installation } from '../installation.ts';
import { Refused } from '../refused.ts';

/** The institution that a command names. @throws {Refused} when the id is unknown */
export const knownInstitution = async (installation: Installation, id: string): Promise<Institution> => {
  const found = (await listInstitutions(await installation.catalog())).find((one) => one.id === id);
  if (!found) throw new Refused(`there is no institution ${id}`);
  return found;
};

export const institutions: readonly Command[] = [
  {
    name: 'institutions list',
    usage: '',
    about: 'lists the institutions of this installation',
    run: async (installation) => listInstitutions(await installation.catalog()),
  },
  {
    name: 'institutions create',
    usage: 'ID --name NAME --currency CHF --languages fr,en',
    about: 'creates an institution; all its prices are in its currency. The first one creates the installation',
    data: 'made',
    run: async (installation, given) => {
      const [name, currency] = [nameOf(given, 200), required(given, 'currency')];
      const languages = listOf(given, 'languages');
      return createInstitution(await installation.catalog(), { id: given.words[0] ?? '', name, currency, languages });
    },
  },
];
