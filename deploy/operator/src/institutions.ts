import { createInstitution, listInstitutions } from '@boxoffice/catalog';
import { type Command, listOf, required } from './command.ts';

export const institutions: readonly Command[] = [
  {
    name: 'institutions list',
    usage: '',
    about: 'the institutions of this installation',
    run: async (installation) => listInstitutions(await installation.catalog()),
  },
  {
    name: 'institutions create',
    usage: 'ID --name NAME --currency CHF --languages fr,en',
    about: 'sets up an institution; all its prices are in its currency',
    words: ['ID'],
    options: { name: { type: 'string' }, currency: { type: 'string' }, languages: { type: 'string' } },
    run: async (installation, given) =>
      createInstitution(await installation.catalog(), {
        id: given.words[0] ?? '',
        name: required(given, 'name'),
        currency: required(given, 'currency'),
        languages: listOf(given, 'languages'),
      }),
  },
];
