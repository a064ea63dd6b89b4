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
  'contact.erased': contactErased('C7K2M9QX4TB03', '2026-11-21T09:30:00.000Z').data,
  [CONTACT_RECORDED]: announcementExample({
    type: 'contact.changed',
    resource: { type: 'contact', id: 'C7K2M9QX4TB03' },
    data: shownOf({ kind: 'individual' }),
  }),
} as const;

/** The members that every event of a type has: consumers rely on them, and the next release keeps them. */
export const schemas = {
  'contact.erased': Type.Object(
    { contactNumber: Type.String(), erasedAt: timestamp },
    {
      description:
        'The personal data of a contact are erased for good; consumers delete its names and recorded answers.',
    },
  ),
  [CONTACT_RECORDED]: announcementSchema(
    'A contact was created, changed or erased, as the event of partners tells it.',
  ),
} as const;
