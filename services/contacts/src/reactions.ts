import { type Message, Unreadable } from '@boxoffice/messaging';
import { type Collections, linkId } from './store.ts';

/**
 * order.contact_named: the contact exists for the client from now on. One that the client made has no link, since it
 * exists for it anyway. Idempotent.
 */
export const onContactNamed = async (
  { contacts, links }: Collections,
  { institution, data }: Pick<Message, 'institution' | 'data'>,
): Promise<void> => {
  const { contactNumber, clientId } = data as { readonly contactNumber?: unknown; readonly clientId?: unknown };
  if (typeof contactNumber !== 'string' || typeof clientId !== 'string')
    throw new Unreadable('order.contact_named needs contactNumber and clientId');
  const contact = await contacts.of(institution).get(contactNumber);
  if (contact?.createdBy?.clientId === clientId) return;
  await links.of(institution).insertMany([{ id: linkId(clientId, contactNumber), clientId, contactNumber }]);
};
