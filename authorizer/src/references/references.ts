// What users of an institution refer to, and whom the authorizer asks whether it exists.

import type { ServiceCredentials } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { createServiceClient } from '@boxoffice/service';
import { catalogApi } from './generated/catalog.ts';
import { contactsApi } from './generated/contacts.ts';

/**
 * Contacts and points of sale, which belong to other services. Rejects with Fault `service_unavailable` if the service
 * does not answer.
 */
export interface References {
  /** Whether the institution has a contact with this number whose data was not erased. */
  hasContact(institution: string, contactNumber: string): Promise<boolean>;
  /** Whether the institution has a point of sale with this service host. */
  hasPointOfSale(institution: string, serviceHost: string): Promise<boolean>;
}

export interface ReferencesOptions {
  /**
   * The addresses of the services, read at the first question: in the process of `npm start` they are known later than
   * the authorizer's start, which needs neither.
   */
  readonly urls: () => Readonly<Record<'catalog' | 'contacts', string>>;
  readonly credentials: ServiceCredentials;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Asks contacts and the catalog; its connections stay open until `close`. */
export const createReferences = ({ urls, credentials, logger }: ReferencesOptions): References & { close(): void } => {
  const connect = () => {
    const { catalog, contacts } = urls();
    return {
      catalog: createServiceClient(catalogApi, { url: catalog, credentials, logger }),
      contacts: createServiceClient(contactsApi, { url: contacts, credentials, logger }),
    };
  };
  let connected: ReturnType<typeof connect> | undefined;
  const clients = () => {
    connected ??= connect();
    return connected;
  };

  return {
    hasContact: async (institution, contactNumber) => {
      // An ill-formed string is no contact number.
      if (!contactNumber.isWellFormed()) return false;
      const contact = await clients().contacts.find(institution, 'getContactInternally', { path: { contactNumber } });
      return contact?.erasedAt === null;
    },
    hasPointOfSale: async (institution, serviceHost) => {
      // Service hosts are unique in the installation, so this operation belongs to no institution.
      const found = await clients().catalog.find('', 'findPointOfSale', { path: { serviceHost } });
      return found?.institution === institution;
    },
    close: () => {
      for (const client of Object.values(connected ?? {})) client.close();
    },
  };
};
