import { timestamp } from '@boxoffice/http';
import { announcementExample, announcementSchema } from '@boxoffice/service';
import type { Fact } from '@boxoffice/store';
import { Type } from 'typebox';
import { CONTACT_RECORDED, shownOf } from './announcements.ts';

/** A contact's personal data was erased for good: consumers delete its names and recorded answers. */
export const contactErased = (contactNumber: string, erasedAt: string): Fact => ({
  type: 'contact.erased',
  data: { contactNumber, erasedAt },
});

/** An example of each event that this service publishes, for the tests of its consumers. */
export const examples = {
  'contact.erased': contactErased('C7K2M9QX4TB03', '2026-11-21T09:30:00.000Z'),
  [CONTACT_RECORDED]: {
    type: CONTACT_RECORDED,
    data: announcementExample({
      type: 'contact.changed',
      resource: { type: 'contact', id: 'C7K2M9QX4TB03' },
      data: shownOf({ kind: 'individual' }),
    }),
  },
} as const;

/** The members that every event of a type has: consumers rely on them, and the next release keeps them. */
export const schemas = {
  'contact.erased': Type.Object({ contactNumber: Type.String(), erasedAt: timestamp }),
  [CONTACT_RECORDED]: announcementSchema,
} as const;
