import { type Peer, PeerRefusal } from '@boxoffice/service';

/** What orders needs of contacts. */
export interface Contacts {
  /** Whether the number is that of a contact whose data was not erased. Rejects with Fault `service_unavailable`. */
  exists(institution: string, contactNumber: string): Promise<boolean>;
}

/** The contacts, over HTTP. */
export const createContacts = (contacts: Peer): Contacts => ({
  async exists(institution, contactNumber) {
    const path = `/internal/contacts/${encodeURIComponent(contactNumber)}`;
    try {
      const known = await contacts.call<{ erasedAt: string | null }>(institution, {
        operation: 'getContactInternally',
        method: 'GET',
        path,
      });
      return known.erasedAt === null;
    } catch (error) {
      if (error instanceof PeerRefusal && error.http === 404) return false;
      throw error;
    }
  },
});
