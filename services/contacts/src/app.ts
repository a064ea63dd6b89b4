import { randomBytes } from 'node:crypto';
import { versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { createContacts } from './contacts.ts';
import { routes } from './routes.ts';
import { contactsCollection } from './store.ts';

/** The contacts service: individuals, structures and their sensitive data. */
export const contacts: ServiceDefinition = {
  name: 'contacts',
  version: versionOf(import.meta.url),
  collections: [contactsCollection],
  operations: ({ store }) =>
    routes(createContacts(store.collection(contactsCollection), { now: () => new Date(), randomBytes })),
};
