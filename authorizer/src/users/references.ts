import { Fault } from '@boxoffice/envelope';
import type { ServiceCredentials } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { createServiceClient } from '@boxoffice/service';
import { normaliseServiceHosts } from '../domain/client.ts';
import type { UserDetails } from '../domain/user.ts';
import { catalogApi } from './generated/catalog.ts';
import { contactsApi } from './generated/contacts.ts';

/** Rejects with Fault `service_unavailable` if the service does not answer or its address is not known. */
export type References = ReturnType<typeof createReferences>;

export interface ReferencesOptions {
  /** Read at the first question: in the process of `npm start` they are known later than the authorizer's start. */
  readonly urls: () => Readonly<Record<'catalog' | 'contacts', string | undefined>>;
  readonly credentials: ServiceCredentials;
  readonly logger: Pick<Logger, 'warn'>;
}

export function createReferences({ urls, credentials, logger }: ReferencesOptions) {
  const requireAddress = (name: 'catalog' | 'contacts'): string => {
    const url = urls()[name];
    if (url !== undefined) return url;
    logger.warn(`${name.toUpperCase()}_URL is not set: what users and clients refer to cannot be looked up`);
    throw new Fault('service_unavailable', `The authorizer does not know the address of ${name}.`, {
      'Retry-After': '60',
    });
  };
  const connectCatalog = () => createServiceClient(catalogApi, { url: requireAddress('catalog'), credentials, logger });
  const connectContacts = () =>
    createServiceClient(contactsApi, { url: requireAddress('contacts'), credentials, logger });
  let catalog: ReturnType<typeof connectCatalog> | undefined;
  let contacts: ReturnType<typeof connectContacts> | undefined;

  return {
    /** Whether the institution has a contact with this number whose data was not erased. */
    hasContact: async (institution: string, contactNumber: string): Promise<boolean> => {
      // An ill-formed string is no contact number.
      if (!contactNumber.isWellFormed()) return false;
      contacts ??= connectContacts();
      const contact = await contacts.find(institution, 'getContactInternally', { path: { contactNumber } });
      return contact?.erasedAt === null;
    },
    hasPointOfSale: async (institution: string, serviceHost: string): Promise<boolean> => {
      // Service hosts are unique in the installation, so this operation belongs to no institution.
      catalog ??= connectCatalog();
      const found = await catalog.find('', 'findPointOfSale', { path: { serviceHost } });
      return found?.institution === institution;
    },
  };
}

type Named = Partial<Pick<UserDetails, 'contactNumber' | 'pointsOfSale'>>;

const AT_ONCE = 10;

/**
 * What it has already is not looked up, so that what was read can be written back. The check rejects with Fault
 * `semantically_invalid`, which names every one that the institution does not have, or `service_unavailable`.
 */
export function createReferenceCheck(references: References | undefined, at = '$') {
  const findContactFaults = async (
    institution: string,
    { contactNumber = null }: Named,
    had: Named,
  ): Promise<string[]> => {
    if (!references || contactNumber === null || contactNumber === had.contactNumber) return [];
    const isKnown = await references.hasContact(institution, contactNumber);
    return isKnown ? [] : [`${at}.contactNumber: there is no contact ${contactNumber}`];
  };

  const findPointOfSaleFaults = async (
    institution: string,
    { pointsOfSale = [] }: Named,
    had: Named,
  ): Promise<string[]> => {
    if (!references) return [];
    const asked = normaliseServiceHosts(pointsOfSale).filter((host) => !had.pointsOfSale?.includes(host));
    const unknown = new Set<string>();
    const ask = async (host: string): Promise<void> => {
      if (!(await references.hasPointOfSale(institution, host))) unknown.add(host);
    };
    for (let first = 0; first < asked.length; first += AT_ONCE)
      await Promise.all(asked.slice(first, first + AT_ONCE).map(ask));
    return pointsOfSale.flatMap((given, index) =>
      normaliseServiceHosts([given]).some((host) => unknown.has(host))
        ? [`${at}.pointsOfSale[${index}]: there is no point of sale ${given}`]
        : [],
    );
  };

  return async (institution: string, named: Named, had: Named = {}): Promise<void> => {
    const faults = (
      await Promise.all([findContactFaults(institution, named, had), findPointOfSaleFaults(institution, named, had)])
    ).flat();
    if (faults.length > 0) throw new Fault('semantically_invalid', `${faults.join('; ')}.`);
  };
}
