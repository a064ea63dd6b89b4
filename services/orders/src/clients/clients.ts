// The services that orders calls: catalog, contacts and tickets.

import type { ServiceCredentials } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { createServiceClient } from '@boxoffice/service';
import { catalogApi } from './generated/catalog.ts';
import { contactsApi } from './generated/contacts.ts';
import { ticketsApi } from './generated/tickets.ts';

/**
 * Creates the clients of the services that orders calls, at these addresses. Each connects at its first call, waits 3 s
 * for an answer unless the call sets another time limit, and is closed by the caller of this function.
 */
export const createClients = (
  urls: Readonly<Record<'catalog' | 'contacts' | 'tickets', string>>,
  credentials: ServiceCredentials,
  logger: Pick<Logger, 'warn'>,
) => ({
  catalog: createServiceClient(catalogApi, { url: urls.catalog, credentials, logger }),
  contacts: createServiceClient(contactsApi, { url: urls.contacts, credentials, logger }),
  tickets: createServiceClient(ticketsApi, { url: urls.tickets, credentials, logger }),
});

export type Clients = ReturnType<typeof createClients>;
