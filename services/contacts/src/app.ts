import { requireQueue } from '@boxoffice/messaging';
import { integer, readVersion } from '@boxoffice/runtime';
import { type ServiceDefinition, startCompletion } from '@boxoffice/service';
import { createRoutes } from './commands.ts';
import { createContacts } from './contacts/contacts.ts';
import { createAudit, createDisclosure } from './contacts/disclosure.ts';
import { currentFacts, examples, openCollections, schemas } from './events.ts';
import { linkNamedContact } from './reactions.ts';
import { collections, contactsCollection, disclosuresCollection, retention } from './store.ts';

const settings = {
  /** Contacts that answers to duplicate emails disclose to a client without read access. */
  duplicateEmailsPerMinute: integer('DUPLICATE_EMAILS_PER_MINUTE', { default: 600, min: 0 }),
};

export const contacts: ServiceDefinition<typeof settings> = {
  name: 'contacts',
  version: readVersion(import.meta.url),
  currentFacts,
  facts: { schemas, examples },
  collections,
  retention: () => retention,
  settings,
  queues: [requireQueue('contacts.orders.v1')],
  tags: {
    individuals: 'Persons, with their addresses, authorizations and sensitive data.',
    structures: 'Companies, schools and associations that buy.',
  },
  operations: ({ store, logger, settings: { duplicateEmailsPerMinute } }) =>
    createRoutes(
      createContacts(openCollections(store)),
      createDisclosure({
        perMinute: duplicateEmailsPerMinute,
        disclosures: store.collection(disclosuresCollection),
        audit: createAudit(logger),
      }),
    ),
  background: ({ store, logger }) => startCompletion(store, contactsCollection, { where: { nameKey: null } }, logger),
  reactions: ({ store }) => [
    {
      queue: requireQueue('contacts.orders.v1'),
      handle: (message) => linkNamedContact(openCollections(store), message),
    },
  ],
};
