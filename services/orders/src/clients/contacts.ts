import type { ServiceClient } from '@boxoffice/service';
import type { Guest } from '../domain/order/order.ts';
import type { operations } from './generated/contacts.ts';

/** Maximum wait for the write of a guest's contact: the buyer waits meanwhile, and the sweep repeats the write. */
const GUEST_MS = 1_500;

/** The contacts service, as orders uses it. Rejects with Fault `service_unavailable` if it does not answer. */
export const createContacts = (contacts: ServiceClient<operations>) => {
  /** The criteria of the contact, which tariffs and payment methods need; undefined if it is unknown or erased. */
  const criteria = async (institution: string, contactNumber: string): Promise<readonly string[] | undefined> => {
    // An ill-formed string is no contact number: undefined without a remote call.
    if (!contactNumber.isWellFormed()) return undefined;
    const contact = await contacts.find(institution, 'getContactInternally', { path: { contactNumber } });
    return contact?.erasedAt === null ? contact.criteria : undefined;
  };
  return {
    criteria,

    /**
     * The fault of a contact number, by its path; none if the number is absent or names a contact. `within`: the contacts
     * that the caller may name, null for all; another is not looked up and reads like one that never existed.
     */
    async faults(
      institution: string,
      contactNumber: string | null | undefined,
      within: readonly string[] | null = null,
    ): Promise<string[]> {
      if (contactNumber === null || contactNumber === undefined) return [];
      const isWithin = within?.includes(contactNumber) ?? true;
      if (isWithin && (await criteria(institution, contactNumber))) return [];
      return [`$.contactNumber: there is no contact ${contactNumber}`];
    },

    /** Writes the contact of a guest; idempotent. */
    async writeGuest(institution: string, contactNumber: string, { since, ...guest }: Guest): Promise<void> {
      await contacts.call(institution, 'writeGuest', {
        path: { contactNumber },
        body: { ...guest, asOf: new Date(since).toISOString() },
        timeoutMs: GUEST_MS,
      });
    },

    /** Erases the contact of a guest, unless its institution has changed it; idempotent. */
    async forgetGuest(institution: string, contactNumber: string): Promise<void> {
      await contacts.call(institution, 'forgetGuest', { path: { contactNumber }, timeoutMs: GUEST_MS });
    },
  };
};

export type Contacts = ReturnType<typeof createContacts>;
