import { timestamp } from '@boxoffice/http';
import {
  type Announcement,
  announceWrites,
  type BelongsTo,
  type CurrentFacts,
  createAnnouncementExample,
  createAnnouncementSchema,
  repeatAnnouncement,
} from '@boxoffice/service';
import { type Fact, readAllDocuments, type Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { type Collections, type ContactDocument, contactsCollection, linksCollection } from './store.ts';

export const CONTACT_RECORDED = 'contact.recorded';

/** Shows no personal data. */
const toEventData = ({ kind, erasedAt }: Pick<ContactDocument, 'kind' | 'erasedAt'>): object => ({
  kind,
  erasedAt: erasedAt ?? null,
});

/** Clients whose orders name the contact own its events, too. */
const toOwners = ({ createdBy }: Pick<ContactDocument, 'createdBy'>): BelongsTo => ({
  clientIds: createdBy ? [createdBy.clientId] : [],
});

/** Every write of a contact announces what partners hear of. */
export function openCollections(store: Pick<Store, 'collection'>): Collections {
  return {
    contacts: announceWrites(store.collection(contactsCollection), CONTACT_RECORDED, announceContact),
    links: store.collection(linksCollection),
  };
}

const announceContact = (before: ContactDocument | undefined, after: ContactDocument): Announcement[] => {
  const type = decideType(before, after);
  if (type === undefined) return [];
  const resource = { type: 'contact', id: after.id };
  return [{ type, resource, data: toEventData(after), belongsTo: toOwners(after) }];
};

const decideType = (before: ContactDocument | undefined, after: ContactDocument): string | undefined => {
  if (!before) return 'contact.created';
  if (after.erasedAt !== undefined) return before.erasedAt === undefined ? 'contact.erased' : undefined;
  // Sensitive data are no part of the details.
  return isSame(before.details, after.details) ? undefined : 'contact.changed';
};

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** Consumers delete the contact's names and recorded answers. */
export function createContactErasedFact(contactNumber: string, erasedAt: string): Fact {
  return {
    type: 'contact.erased',
    data: { contactNumber, erasedAt },
  };
}

/** Tests of consumers read them. */
export const examples = {
  'contact.erased': createContactErasedFact('C7K2M9QX4TB03', '2026-11-21T09:30:00.000Z').data,
  [CONTACT_RECORDED]: createAnnouncementExample({
    type: 'contact.changed',
    resource: { type: 'contact', id: 'C7K2M9QX4TB03' },
    data: toEventData({ kind: 'individual' }),
  }),
} as const;

/** Consumers rely on these members, and the next release keeps them. */
export const schemas = {
  'contact.erased': Type.Object(
    { contactNumber: Type.String(), erasedAt: timestamp },
    {
      description:
        'The personal data of a contact are erased for good; consumers delete its names and recorded answers.',
    },
  ),
  [CONTACT_RECORDED]: createAnnouncementSchema(
    'A contact was created, changed or erased, as the event of partners tells it.',
  ),
} as const;

/** They serve republishing after a restore. */
export const currentFacts: CurrentFacts = {
  types: ['contact.erased', CONTACT_RECORDED],
  async *read(store) {
    for await (const contact of readAllDocuments(store.collection(contactsCollection))) {
      const { id: key, institution, version, erasedAt, updatedAt } = contact;
      const common = { institution, key, version };
      const shown = { resource: 'contact', data: toEventData(contact), belongsTo: toOwners(contact) };
      const last = repeatAnnouncement(contact, CONTACT_RECORDED, shown);
      if (last) yield { ...last, ...common, changedAt: Date.parse(updatedAt) };
      if (erasedAt !== undefined)
        yield { ...createContactErasedFact(key, erasedAt), ...common, changedAt: Date.parse(erasedAt) };
    }
  },
};
