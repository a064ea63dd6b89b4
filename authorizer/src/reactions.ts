import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Logger } from '@boxoffice/runtime';
import type { Institutions } from './sign-in/institutions.ts';
import type { Users } from './users/users.ts';

/** Audited one by one: who erases a contact need not administer users. @throws {Unreadable} without a contact number */
export async function eraseUserContact(
  users: Pick<Users, 'eraseContact'>,
  logger: Pick<Logger, 'info'>,
  { institution, data }: Message,
): Promise<void> {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  for (const { userId, outcome } of await users.eraseContact(institution, contactNumber))
    logger.info('contact of a user erased', { event: `audit.user_${outcome}`, institution, id: userId });
}

/** @throws {Unreadable} without name or languages */
export async function recordInstitution(
  institutions: Pick<Institutions, 'record'>,
  { institution, version, data }: Message,
): Promise<void> {
  const { name, languages } = data as { readonly name?: unknown; readonly languages?: unknown };
  if (!isText(name) || !Array.isArray(languages) || !languages.every(isText))
    throw new Unreadable('institution.changed needs name and languages');
  await institutions.record(institution, { name, languages }, version);
}

const isText = (value: unknown): value is string => typeof value === 'string';
