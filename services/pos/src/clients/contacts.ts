import type { AnswerOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/contacts.ts';

export type OwnContact = AnswerOf<operations, 'getShopContact'>;

/** Rejects with Fault `service_unavailable` if contacts does not answer. */
export function createContacts(contacts: ServiceClient<operations>) {
  return {
    /** Undefined if the contact is unknown. */
    known: (institution: string, contactNumber: string) =>
      contacts.find(institution, 'getContactInternally', { path: { contactNumber } }),

    /** Undefined if the contact is unknown. */
    own: (institution: string, contactNumber: string): Promise<OwnContact | undefined> =>
      contacts.find(institution, 'getShopContact', { path: { contactNumber } }),

    async hasEmail(institution: string, contactNumber: string, email: string): Promise<boolean> {
      const query = { email, among: contactNumber };
      const { contactNumbers } = await contacts.call(institution, 'findContacts', { query });
      return contactNumbers.includes(contactNumber);
    },
  };
}

export type Contacts = ReturnType<typeof createContacts>;
