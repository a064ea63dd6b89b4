// What the authorizer does on facts of other services.
import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Users } from '../users/users.ts';

/**
 * Deletes the users of an erased contact, and with them their sign-ins and tokens.
 * @throws {Unreadable} if the event has no contact number
 */
export const onContactErased = async (users: Pick<Users, 'erase'>, { institution, data }: Message): Promise<void> => {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  await users.erase(institution, contactNumber);
};
