import { type Peer, PeerRefusal } from '@boxoffice/service';
import type { Guest } from '../domain/order/order.ts';

/** What orders needs of contacts. */
export interface Contacts {
  /** Whether the number is that of a contact whose data was not erased. Rejects with Fault `service_unavailable`. */
  exists(institution: string, contactNumber: string): Promise<boolean>;
  /** What entitles the contact to tariffs and payment methods; undefined unless it exists. Rejects with Fault `service_unavailable`. */
  criteria(institution: string, contactNumber: string): Promise<readonly string[] | undefined>;
  /** Writes the contact of a guest; again: no effect. Rejects with Fault `service_unavailable`. */
  writeGuest(institution: string, contactNumber: string, guest: Guest): Promise<void>;
  /** Erases the contact of a guest, unless its institution has changed it; again: no effect. Rejects with Fault `service_unavailable`. */
  forgetGuest(institution: string, contactNumber: string): Promise<void>;
}

/** Milliseconds to wait for it: the buyer waits, too, and a sweep tries again. */
const GUEST_MS = 1_500;

const guestPath = (contactNumber: string): string => `/internal/shop/contacts/${encodeURIComponent(contactNumber)}`;

interface KnownContact {
  readonly criteria: readonly string[];
  readonly erasedAt: string | null;
}

/** The contacts, over HTTP. */
export const createContacts = (contacts: Peer): Contacts => {
  const known = async (institution: string, contactNumber: string): Promise<readonly string[] | undefined> => {
    // Not a text at all, and no path can be made of it.
    if (!contactNumber.isWellFormed()) return undefined;
    const path = `/internal/contacts/${encodeURIComponent(contactNumber)}`;
    try {
      const { erasedAt, criteria } = await contacts.call<KnownContact>(institution, {
        operation: 'getContactInternally',
        method: 'GET',
        path,
      });
      return erasedAt === null ? criteria : undefined;
    } catch (error) {
      if (error instanceof PeerRefusal && error.http === 404) return undefined;
      throw error;
    }
  };
  return {
    exists: async (institution, contactNumber) => (await known(institution, contactNumber)) !== undefined,
    criteria: known,
    async writeGuest(institution, contactNumber, { since, ...guest }) {
      await contacts.call(institution, {
        operation: 'writeGuest',
        method: 'PUT',
        path: guestPath(contactNumber),
        body: { ...guest, asOf: new Date(since).toISOString() },
        timeoutMs: GUEST_MS,
      });
    },
    async forgetGuest(institution, contactNumber) {
      await contacts.call(institution, {
        operation: 'forgetGuest',
        method: 'DELETE',
        path: guestPath(contactNumber),
        timeoutMs: GUEST_MS,
      });
    },
  };
};
