import type { Announced } from '@boxoffice/service';
import { collection, type Document } from '@boxoffice/store';
import type { Contact } from './domain/contact.ts';

/** A contact as it is stored; the document's id is the contact number. */
export interface ContactDocument extends Contact, Document, Pick<Announced, 'lastAnnouncement'> {}

/** Every query is limited to an institution and uses one of these indexes. */
export const contactsCollection = collection<ContactDocument>('contacts', [
  { name: 'created', fields: ['kind', 'createdAt'] },
  { name: 'updated', fields: ['kind', 'updatedAt'] },
  { name: 'email', fields: ['emailKey', 'createdAt'] },
  { name: 'unique_email', fields: ['uniqueEmail'], unique: true },
]);
