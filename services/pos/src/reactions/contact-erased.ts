import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import type { Orders } from '../clients/orders.ts';
import { ofSession } from '../ids.ts';
import { sessions, users } from '../store.ts';

/** The subject of idempotency records about a cart, whose buyer is not known yet. */
export const cartSubject = (orderId: string): string => `cart ${orderId}`;

const PAGE = 500;

/** Deletes the idempotency records about the carts that became orders of the contact. */
const forgetCarts = async (store: Store, orders: Orders, institution: string, contactNumber: string): Promise<void> => {
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await orders.list(institution, { contactNumber, ids: [], offset, limit: PAGE });
    for (const { id } of items) await store.idempotency.forget(cartSubject(id));
    if (items.length < PAGE) return;
  }
};

/**
 * Deletes the logins of an erased contact, their sessions, and the idempotency records about the contact and its
 * carts. Rejects, so that the message is retried, while orders cannot list these carts.
 */
export const onContactErased = async (store: Store, orders: Orders, message: Message): Promise<void> => {
  const { institution, data } = message;
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new TypeError('contact.erased: data.contactNumber is not a string');
  const where = { contactNumber };
  const [logins, visits] = [store.collection(users).of(institution), store.collection(sessions).of(institution)];
  for (const { id } of await logins.find({ where })) await logins.delete(id);
  for (const { id } of await visits.find({ where })) {
    await visits.delete(id);
    await store.idempotency.forget(ofSession(id));
  }
  await store.idempotency.forget(contactNumber);
  await forgetCarts(store, orders, institution, contactNumber);
};
