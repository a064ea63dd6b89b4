import type { AnyOperation } from '@boxoffice/http';
import type { ContactsOf } from './contacts/contacts.ts';
import type { Disclosure } from './contacts/disclosure.ts';
import { internalRoutes } from './contacts/internal.ts';
import { contactRoutes } from './contacts/routes.ts';
import { sensitiveRoutes } from './contacts/sensitive.ts';

/** Every operation of the contacts service. */
export function routes(contactsOf: ContactsOf, disclosure: Disclosure): AnyOperation[] {
  return [...contactRoutes(contactsOf, disclosure), ...sensitiveRoutes(contactsOf), ...internalRoutes(contactsOf)];
}
