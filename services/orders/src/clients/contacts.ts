import type { restrictionOf } from '@boxoffice/identity';
import type { ServiceClient } from '@boxoffice/service';
import type { Guest } from '../domain/order/order.ts';
import type { operations } from './generated/contacts.ts';

/** Maximum wait for the write of a guest's contact: the buyer waits meanwhile, and the sweep repeats the write. */
const GUEST_MS = 1_500;

/** The contacts service, as orders uses it. Rejects with Fault `service_unavailable` if it does not answer. */
export const createContacts = (contacts: ServiceClient<operations>) => ({
  /**
   * The criteria of the contact, which tariffs and payment methods need; undefined if it is unknown or erased, or, with
   * `clientId`, neither made by that client nor named by its orders.
   */
  async criteria(
    institution: string,
    contactNumber: string,
    clientId: string | null = null,
  ): Promise<readonly string[] | undefined> {
    // An ill-formed string is no contact number: undefined without a remote call.
    if (!contactNumber.isWellFormed()) return undefined;
    const query = clientId === null ? {} : { clientId };
    const contact = await contacts.find(institution, 'getContactInternally', { path: { contactNumber }, query });
    return contact?.erasedAt === null ? contact.criteria : undefined;
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
});

export type Contacts = ReturnType<typeof createContacts>;

/** The contacts that exist for a caller; for another number nothing else is answered than for an unknown one. */
export const contactsWithin = (
  contacts: Contacts,
  { contacts: only, ownClient }: Pick<ReturnType<typeof restrictionOf>, 'contacts' | 'ownClient'>,
): Contacts => ({
  ...contacts,
  criteria: async (institution, contactNumber) =>
    (only?.includes(contactNumber) ?? true) ? contacts.criteria(institution, contactNumber, ownClient) : undefined,
});
