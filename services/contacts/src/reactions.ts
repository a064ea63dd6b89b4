import { type Message, Unreadable } from '@boxoffice/messaging';
import { insertUnlessTaken } from '@boxoffice/store';
import type { Collections } from './store.ts';

/**
 * The contact exists for clients with bounds as long as an order within them names it. Idempotent; what an older
 * version of the order says is ignored.
 */
export async function linkNamedContact(
  { links }: Pick<Collections, 'links'>,
  { institution, version, data }: Pick<Message, 'institution' | 'version' | 'data'>,
): Promise<void> {
  const { orderId, contactNumber, clientId = null, pointOfSale = null } = data as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): value is string | null => typeof value === 'string' || value === null;
  if (typeof orderId !== 'string' || !isText(contactNumber) || !isText(clientId) || !isText(pointOfSale))
    throw new Unreadable('order.contact_named needs orderId, and contactNumber, clientId, pointOfSale (text or null)');
  const link = { clientId, pointOfSale: pointOfSale?.toLowerCase() ?? null, contactNumber };
  const documents = links.of(institution);
  if (await insertUnlessTaken(documents, { id: orderId, ...link, asOf: version })) return;
  // A link of 0.3 does not know the point of sale, which the same fact says when it is published again.
  await documents.update(orderId, (current) =>
    current.asOf < version || (current.asOf === version && current.pointOfSale === undefined)
      ? { next: { ...current, ...link, asOf: version } }
      : undefined,
  );
}
