import { type Peer, PeerRefusal } from '@boxoffice/service';

/** What a contact entitles to. */
export interface KnownContact {
  readonly contactNumber: string;
  readonly criteria: readonly string[];
  /** ISO 8601 UTC; null unless its data was erased. */
  readonly erasedAt: string | null;
}

/** A contact, flat, as its owner sees it. */
export interface OwnContact extends KnownContact {
  readonly kind: 'individual' | 'structure';
  readonly title: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly language: string | null;
  readonly street: string | null;
  readonly postalCode: string | null;
  readonly city: string | null;
  readonly country: string | null;
  readonly newsletter: boolean;
  readonly partners: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What the point of sale asks contacts; everything rejects with Fault `service_unavailable` when they do not answer. */
export interface Contacts {
  /** What the contact entitles to; undefined if there is none. */
  known(institution: string, contactNumber: string): Promise<KnownContact | undefined>;
  /** The contact itself; undefined if there is none. */
  own(institution: string, contactNumber: string): Promise<OwnContact | undefined>;
}

const orUndefined = <Data>(asked: Promise<Data>): Promise<Data | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof PeerRefusal && error.http === 404) return undefined;
    throw error;
  });

/** The contacts, over HTTP. */
export const createContacts = (contacts: Peer): Contacts => {
  const get = async <Data>(institution: string, operation: string, path: string, contactNumber: string) =>
    // What is not a text at all is no number, and no path can be made of it.
    contactNumber.isWellFormed()
      ? orUndefined(
          contacts.call<Data>(institution, {
            operation,
            method: 'GET',
            path: `${path}/${encodeURIComponent(contactNumber)}`,
          }),
        )
      : undefined;
  return {
    known: (institution, contactNumber) =>
      get<KnownContact>(institution, 'getContactInternally', '/internal/contacts', contactNumber),
    own: (institution, contactNumber) =>
      get<OwnContact>(institution, 'getShopContact', '/internal/shop/contacts', contactNumber),
  };
};
