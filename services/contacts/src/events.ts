import { timestamp } from '@boxoffice/http';
import type { Fact } from '@boxoffice/store';
import { Type } from 'typebox';

/** A contact's personal data was erased for good: whoever keeps a name or a remembered answer of it drops it. */
export const contactErased = (contactNumber: string, erasedAt: string): Fact => ({
  type: 'contact.erased',
  data: { contactNumber, erasedAt },
});

/** What consumers are tested with: one example of every fact that this service publishes. */
export const examples = {
  'contact.erased': contactErased('C7K2M9QX4TB03', '2026-11-21T09:30:00.000Z'),
} as const;

/** What every fact of a type has at least: consumers may rely on it, and the next release keeps it. */
export const schemas = {
  'contact.erased': Type.Object({ contactNumber: Type.String(), erasedAt: timestamp }),
} as const;
