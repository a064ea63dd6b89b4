import {
  addClientSecret,
  createClient,
  deleteClient,
  listClients,
  removeClientSecret,
  SCOPES,
} from '@boxoffice/authorizer';
import { listInstitutions } from '@boxoffice/catalog';
import { type Command, listOf, Misuse, required } from './command.ts';

export const clients: readonly Command[] = [
  {
    name: 'clients list',
    usage: '[INSTITUTION]',
    about: 'the OAuth clients of an institution, or of all; no secrets',
    run: async (installation, { words: [institution] }) => listClients(await installation.authorizer(), institution),
  },
  {
    name: 'clients create',
    usage: 'INSTITUTION --name NAME --scopes catalog:read,orders:write',
    about: `registers a client; its secret is printed this once. --scopes all: ${SCOPES.join(' ')}`,
    words: ['INSTITUTION'],
    options: { name: { type: 'string' }, scopes: { type: 'string' } },
    async run(installation, given) {
      const institution = given.words[0] ?? '';
      const known = await listInstitutions(await installation.catalog());
      if (!known.some(({ id }) => id === institution)) throw new Misuse(`there is no institution ${institution}`);
      const asked = listOf(given, 'scopes');
      const scopes = asked.length === 1 && asked[0] === 'all' ? [...SCOPES] : asked;
      return createClient(await installation.authorizer(), { institution, name: required(given, 'name'), scopes });
    },
  },
  {
    name: 'clients add-secret',
    usage: 'INSTITUTION CLIENT_ID',
    about: 'makes a second secret, for rotation; it is printed this once',
    words: ['INSTITUTION', 'CLIENT_ID'],
    run: async (installation, { words: [institution = '', clientId = ''] }) =>
      addClientSecret(await installation.authorizer(), institution, clientId),
  },
  {
    name: 'clients remove-secret',
    usage: 'INSTITUTION CLIENT_ID SECRET_ID',
    about: 'withdraws a secret; it and the tokens that it obtained are refused within five seconds',
    words: ['INSTITUTION', 'CLIENT_ID', 'SECRET_ID'],
    run: async (installation, { words: [institution = '', clientId = '', secretId = ''] }) =>
      removeClientSecret(await installation.authorizer(), institution, clientId, secretId),
  },
  {
    name: 'clients delete',
    usage: 'INSTITUTION CLIENT_ID',
    about: 'deletes a client; its tokens are refused within five seconds',
    words: ['INSTITUTION', 'CLIENT_ID'],
    async run(installation, { words: [institution = '', clientId = ''] }) {
      await deleteClient(await installation.authorizer(), institution, clientId);
      return `${clientId} is deleted`;
    },
  },
];
