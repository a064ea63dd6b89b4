import type { AnyOperation } from '@boxoffice/http';
import type { ContactsOf } from './contacts/contacts.ts';
import type { Disclosure } from './contacts/disclosure.ts';
import { createInternalRoutes } from './contacts/internal.ts';
import { createContactRoutes } from './contacts/routes.ts';
import { createSensitiveRoutes } from './contacts/sensitive.ts';

export function createRoutes(contactsOf: ContactsOf, disclosure: Disclosure): AnyOperation[] {
  return [
    ...createContactRoutes(contactsOf, disclosure),
    ...createSensitiveRoutes(contactsOf),
    ...createInternalRoutes(contactsOf),
  ];
}
