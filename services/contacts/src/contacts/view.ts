import type { Contact, Details, Kind, Sensitive } from '../domain/contact.ts';

/** A contact as answers show it: never its sensitive data. */
export type ContactView = Partial<Details> & {
  readonly contactNumber: string;
  readonly kind: Kind;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly erasedAt?: string;
};

export const view = (contact: Contact): ContactView => ({
  contactNumber: contact.contactNumber,
  kind: contact.kind,
  ...contact.details,
  createdAt: contact.createdAt,
  updatedAt: contact.updatedAt,
  ...(contact.erasedAt === undefined ? {} : { erasedAt: contact.erasedAt }),
});

/** The sensitive sub-resource: an empty object before anything is set. */
export const sensitiveView = (contact: Contact): Sensitive => contact.sensitive ?? {};
