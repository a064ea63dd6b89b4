import { type Message, Unreadable } from '@boxoffice/messaging';
import { UniqueViolation } from '@boxoffice/store';
import type { Collections } from './store.ts';

/**
 * order.contact_named: the contact exists for the client as long as an order of it names the contact. One that the
 * client made needs no link, since it exists for it anyway. Idempotent; what an older version of the order says is
 * ignored.
 */
export const onContactNamed = async (
  { contacts, links }: Collections,
  { institution, version, data }: Pick<Message, 'institution' | 'version' | 'data'>,
): Promise<void> => {
  const { orderId, contactNumber, clientId } = data as Readonly<Record<string, unknown>>;
  const isNumber = typeof contactNumber === 'string' || contactNumber === null;
  if (typeof orderId !== 'string' || !isNumber || typeof clientId !== 'string')
    throw new Unreadable('order.contact_named needs orderId, contactNumber (text or null) and clientId');
  const contact = contactNumber === null ? undefined : await contacts.of(institution).get(contactNumber);
  const link = { clientId, contactNumber: contact?.createdBy?.clientId === clientId ? null : contactNumber };
  // Of a new order there is no older fact that may come late, so that it needs no document that outdates it.
  if (link.contactNumber === null && version === 1) return;
  const documents = links.of(institution);
  try {
    await documents.insert({ id: orderId, ...link, asOf: version });
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    await documents.update(orderId, (current) =>
      current.asOf < version ? { next: { ...current, ...link, asOf: version } } : undefined,
    );
  }
};
