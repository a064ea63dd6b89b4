import type { CurrentFacts } from '@boxoffice/service';
import { everyDocument } from '@boxoffice/store';
import { contactErased } from './events.ts';
import { contactsCollection } from './store.ts';

/** The erasures of all erased contacts: for republishing events after a restore. */
export const currentFacts: CurrentFacts = {
  types: ['contact.erased'],
  async *read(store) {
    for await (const { id, institution, version, erasedAt } of everyDocument(store.collection(contactsCollection))) {
      if (erasedAt === undefined) continue;
      yield { ...contactErased(id, erasedAt), institution, key: id, version, changedAt: Date.parse(erasedAt) };
    }
  },
};
