import { type Announcement, announcing, type BelongsTo } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { type Collections, type ContactDocument, contactsCollection, linksCollection } from './store.ts';

/** A change of a contact that partners hear of was recorded. */
export const CONTACT_RECORDED = 'contact.recorded';

/** What an event shows of a contact: no personal data. */
export const shownOf = ({ kind, erasedAt }: Pick<ContactDocument, 'kind' | 'erasedAt'>): object => ({
  kind,
  erasedAt: erasedAt ?? null,
});

/** Whose events a contact's are, besides those of the clients whose orders name it. */
export const ownersOf = ({ createdBy }: Pick<ContactDocument, 'createdBy'>): BelongsTo => ({
  clientIds: createdBy ? [createdBy.clientId] : [],
});

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

const typeOf = (before: ContactDocument | undefined, after: ContactDocument): string | undefined => {
  if (!before) return 'contact.created';
  if (after.erasedAt !== undefined) return before.erasedAt === undefined ? 'contact.erased' : undefined;
  // Sensitive data are no part of the details.
  return same(before.details, after.details) ? undefined : 'contact.changed';
};

/** The event of a write. */
const announceContact = (before: ContactDocument | undefined, after: ContactDocument): Announcement[] => {
  const type = typeOf(before, after);
  if (type === undefined) return [];
  const resource = { type: 'contact', id: after.id };
  return [{ type, resource, data: shownOf(after), belongsTo: ownersOf(after) }];
};

/** The collections of a store; every write of a contact announces what partners hear of. */
export const collectionsOf = (store: Pick<Store, 'collection'>): Collections => ({
  contacts: announcing(store.collection(contactsCollection), CONTACT_RECORDED, announceContact),
  links: store.collection(linksCollection),
});
