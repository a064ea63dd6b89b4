import type { AnyOperation } from '@boxoffice/http';
import type { ContactsOf } from './contacts/contacts.ts';
import type { Disclosure } from './contacts/disclosure.ts';
import { contactRoutes } from './contacts/routes.ts';
import { internalRoutes } from './internal/routes.ts';
import { sensitiveRoutes } from './sensitive/routes.ts';
import { shopRoutes } from './shop/routes.ts';

/** Every operation of the contacts service. */
export const routes = (contactsOf: ContactsOf, disclosure: Disclosure): AnyOperation[] => [
  ...contactRoutes(contactsOf, disclosure),
  ...sensitiveRoutes(contactsOf),
  ...internalRoutes(contactsOf),
  ...shopRoutes(contactsOf),
];
