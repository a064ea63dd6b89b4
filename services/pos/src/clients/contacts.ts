import type { AnswerOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/contacts.ts';

/** What a contact entitles to. */
export type KnownContact = AnswerOf<operations, 'getContactInternally'>;

/** A contact, flat, as its owner sees it. */
export type OwnContact = AnswerOf<operations, 'getShopContact'>;

/** What the point of sale reads of contacts. Everything rejects with Fault `service_unavailable` when they do not answer. */
export const createContacts = (contacts: ServiceClient<operations>) => ({
  /** What the contact entitles to; undefined if there is none. */
  // An ill-formed text is no contact's number: undefined without a remote call.
  known: async (institution: string, contactNumber: string): Promise<KnownContact | undefined> =>
    contactNumber.isWellFormed()
      ? contacts.find(institution, 'getContactInternally', { path: { contactNumber } })
      : undefined,

  /** The contact itself; undefined if there is none. */
  own: async (institution: string, contactNumber: string): Promise<OwnContact | undefined> =>
    contactNumber.isWellFormed()
      ? contacts.find(institution, 'getShopContact', { path: { contactNumber } })
      : undefined,
});

export type Contacts = ReturnType<typeof createContacts>;
