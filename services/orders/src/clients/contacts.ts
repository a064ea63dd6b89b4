import type { ServiceClient } from '@boxoffice/service';
import type { Guest } from '../domain/order/order.ts';
import type { operations } from './generated/contacts.ts';

/** Milliseconds to wait for a guest's contact: the buyer waits, too, and a sweep tries again. */
const GUEST_MS = 1_500;

/** What orders reads and writes of contacts. Everything rejects with Fault `service_unavailable` when they do not answer. */
export const createContacts = (contacts: ServiceClient<operations>) => {
  /** What entitles the contact to tariffs and payment methods; undefined unless it exists and its data was not erased. */
  const criteria = async (institution: string, contactNumber: string): Promise<readonly string[] | undefined> => {
    // An ill-formed text is no contact's number: undefined without a remote call.
    if (!contactNumber.isWellFormed()) return undefined;
    const contact = await contacts.find(institution, 'getContactInternally', { path: { contactNumber } });
    return contact?.erasedAt === null ? contact.criteria : undefined;
  };
  return {
    criteria,

    /** Whether the number is that of a contact whose data was not erased. */
    exists: async (institution: string, contactNumber: string): Promise<boolean> =>
      (await criteria(institution, contactNumber)) !== undefined,

    /** Writes the contact of a guest; again: no effect. */
    async writeGuest(institution: string, contactNumber: string, { since, ...guest }: Guest): Promise<void> {
      await contacts.call(institution, 'writeGuest', {
        path: { contactNumber },
        body: { ...guest, asOf: new Date(since).toISOString() },
        timeoutMs: GUEST_MS,
      });
    },

    /** Erases the contact of a guest, unless its institution has changed it; again: no effect. */
    async forgetGuest(institution: string, contactNumber: string): Promise<void> {
      await contacts.call(institution, 'forgetGuest', { path: { contactNumber }, timeoutMs: GUEST_MS });
    },
  };
};

export type Contacts = ReturnType<typeof createContacts>;
