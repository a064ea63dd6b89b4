import type { Announced, Retentions } from '@boxoffice/service';
import { type CollectionHandle, collection, type Document } from '@boxoffice/store';
import { type Contact, computeContactNameKey } from './domain/contact.ts';

/** The id is the contact number. */
export interface ContactDocument extends Contact, Document, Pick<Announced, 'lastAnnouncement'> {}

/** Of a release before names had keys. */
const withNameKey = (contact: ContactDocument): ContactDocument =>
  contact.nameKey === undefined ? { ...contact, nameKey: computeContactNameKey(contact.details) } : contact;

/** Every query is limited to an institution and uses one of these indexes. */
export const contactsCollection = collection<ContactDocument>(
  'contacts',
  [
    { name: 'created', fields: ['kind', 'createdAt'] },
    { name: 'updated', fields: ['kind', 'updatedAt'] },
    { name: 'client_created', fields: ['createdBy.clientId', 'kind', 'createdAt'] },
    { name: 'client_updated', fields: ['createdBy.clientId', 'kind', 'updatedAt'] },
    { name: 'email', fields: ['emailKey', 'createdAt'] },
    { name: 'name', fields: ['nameKey', 'createdAt'] },
    { name: 'unkeyed', fields: ['nameKey'], acrossInstitutions: true },
    { name: 'unique_email', fields: ['uniqueEmail'], unique: true },
  ],
  { upgrade: withNameKey },
);

/** By an order of a client, or of a point of sale; the id is the order's. */
export interface LinkDocument extends Document {
  /** Null: a shopper made the order. */
  readonly clientId: string | null;
  /** A service host, in lower case; null: none. Absent in links of 0.3, which know the client alone. */
  readonly pointOfSale?: string | null;
  /** Null: none any more; in links of 0.3 also a contact that the client made. */
  readonly contactNumber: string | null;
  /** The version of the order that said so. */
  readonly asOf: number;
}

/** Beside the contacts, since a link changes no contact, nor its ETag. */
export const linksCollection = collection<LinkDocument>('client_links', [
  { name: 'client_contact', fields: ['clientId', 'contactNumber'] },
  { name: 'point_of_sale_contact', fields: ['pointOfSale', 'contactNumber'] },
]);

/** Of others' emails within the last hour; the id is the user's. */
export interface DisclosuresDocument extends Document {
  /** A request each: its id, and epoch milliseconds. */
  readonly learned: readonly { readonly id: string; readonly at: number }[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export const disclosuresCollection = collection<DisclosuresDocument>('email_disclosures', [
  { name: 'expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const collections = [contactsCollection, linksCollection, disclosuresCollection];

export interface Collections {
  readonly contacts: CollectionHandle<ContactDocument>;
  readonly links: CollectionHandle<LinkDocument>;
}

export const retention: Retentions = {
  contacts: { retained: 'for good; of an erased one its number, dates and client' },
  client_links: { retained: 'for good, one per order: ids only' },
  email_disclosures: {
    retained: 'an hour: ids of users and instants only',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
};
