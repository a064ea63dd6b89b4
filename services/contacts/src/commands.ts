import type { AnyOperation } from '@boxoffice/http';
import type { ContactsOf } from './contacts/contacts.ts';
import type { Disclosure } from './contacts/disclosure.ts';
import { createInternalRoutes } from './contacts/internal.ts';
import { createContactRoutes } from './contacts/routes.ts';
import { createSensitiveRoutes } from './contacts/sensitive.ts';

/** Every operation, above its file. */
export function createRoutes(contactsOf: ContactsOf, disclosure: Disclosure): AnyOperation[] {
  return [
    // createIndividual, listIndividuals, getIndividual, replaceIndividual, updateIndividual, eraseIndividual,
    // createStructure, listStructures, getStructure, replaceStructure, updateStructure, eraseStructure
    ...createContactRoutes(contactsOf, disclosure),
    // getSensitive, replaceSensitive
    ...createSensitiveRoutes(contactsOf),
    // getContactInternally, findContacts, getShopContact, writeGuest, forgetGuest
    ...createInternalRoutes(contactsOf),
  ];
}
