import type { AnyOperation } from '@boxoffice/http';
import type { Contacts } from './contacts/contacts.ts';
import type { Disclosure } from './contacts/disclosure.ts';
import { contactRoutes } from './contacts/routes.ts';
import { internalRoutes } from './internal/routes.ts';
import { sensitiveRoutes } from './sensitive/routes.ts';
import { shopRoutes } from './shop/routes.ts';

/** Every operation of the contacts service. */
export const routes = (contacts: Contacts, disclosure: Disclosure): AnyOperation[] => [
  ...contactRoutes(contacts, disclosure),
  ...sensitiveRoutes(contacts),
  ...internalRoutes(contacts),
  ...shopRoutes(contacts),
];
