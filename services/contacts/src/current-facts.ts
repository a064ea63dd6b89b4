import { announcedAgain, type CurrentFacts } from '@boxoffice/service';
import { everyDocument } from '@boxoffice/store';
import { CONTACT_RECORDED, ownersOf, shownOf } from './announcements.ts';
import { contactErased } from './events.ts';
import { contactsCollection } from './store.ts';

/** The erasures of all erased contacts, and the last event of each: for republishing events after a restore. */
export const currentFacts: CurrentFacts = {
  types: ['contact.erased', CONTACT_RECORDED],
  async *read(store) {
    for await (const contact of everyDocument(store.collection(contactsCollection))) {
      const { id: key, institution, version, erasedAt, updatedAt } = contact;
      const common = { institution, key, version };
      const shown = { resource: 'contact', data: shownOf(contact), belongsTo: ownersOf(contact) };
      const last = announcedAgain(contact, CONTACT_RECORDED, shown);
      if (last) yield { ...last, ...common, changedAt: Date.parse(updatedAt) };
      if (erasedAt !== undefined) yield { ...contactErased(key, erasedAt), ...common, changedAt: Date.parse(erasedAt) };
    }
  },
};
