import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import type { Orders } from '../clients/orders.ts';
import type { DemoFiles } from '../mail/demo-files.ts';
import { eraseMails } from '../mail/outbox.ts';
import { deleteOrderLinks } from '../order-links/links.ts';
import { deleteSessions } from '../sessions/sessions.ts';
import { cartSubject, users } from '../store.ts';

const PAGE = 500;

/** Deletes the links to the orders of the contact, and the idempotency records about the carts that became these. */
const forgetOrders = async (
  store: Store,
  orders: Orders,
  institution: string,
  contactNumber: string,
): Promise<void> => {
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await orders.list(institution, { contactNumber, ids: [], offset, limit: PAGE });
    for (const { id } of items) {
      await deleteOrderLinks(store, institution, id);
      await store.idempotency.forget(cartSubject(id));
    }
    if (items.length < PAGE) return;
  }
};

/**
 * Deletes the logins of an erased contact, their sessions, its mails, the links to its orders, and the idempotency records about
 * the contact and its carts. Rejects if orders does not answer; the message is then retried.
 * @throws {Unreadable} if the event has no contact number
 */
export const onContactErased = async (
  store: Store,
  orders: Orders,
  message: Message,
  demoFiles?: Pick<DemoFiles, 'erase'>,
): Promise<void> => {
  const { institution, data } = message;
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  const where = { contactNumber };
  const logins = store.collection(users).of(institution);
  for (const { id } of await logins.find({ where })) await logins.delete(id);
  await deleteSessions(store, institution, where);
  await store.idempotency.forget(contactNumber);
  const mails = await eraseMails(store, institution, contactNumber);
  await demoFiles?.erase(mails);
  await forgetOrders(store, orders, institution, contactNumber);
};
