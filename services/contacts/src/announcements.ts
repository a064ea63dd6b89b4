import { type Announcement, announcing } from '@boxoffice/service';
import type { CollectionHandle, Store } from '@boxoffice/store';
import { type ContactDocument, contactsCollection } from './store.ts';

/** A change of a contact that partners hear of was recorded. */
export const CONTACT_RECORDED = 'contact.recorded';

/** What an event shows of a contact: no personal data. */
export const shownOf = ({ kind, erasedAt }: Pick<ContactDocument, 'kind' | 'erasedAt'>): object => ({
  kind,
  erasedAt: erasedAt ?? null,
});

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

const typeOf = (before: ContactDocument | undefined, after: ContactDocument): string | undefined => {
  if (!before) return 'contact.created';
  if (after.erasedAt !== undefined) return before.erasedAt === undefined ? 'contact.erased' : undefined;
  // Sensitive data are no part of the details.
  return same(before.details, after.details) ? undefined : 'contact.changed';
};

/** The event of a write. */
export const announceContact = (before: ContactDocument | undefined, after: ContactDocument): Announcement[] => {
  const type = typeOf(before, after);
  return type === undefined ? [] : [{ type, resource: { type: 'contact', id: after.id }, data: shownOf(after) }];
};

/** The contacts of a store; every write announces what partners hear of. */
export const contactsOf = (store: Pick<Store, 'collection'>): CollectionHandle<ContactDocument> =>
  announcing(store.collection(contactsCollection), CONTACT_RECORDED, announceContact);
