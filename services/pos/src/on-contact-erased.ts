import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { sessions, users } from './store.ts';

/** A contact was erased: its logins, their sessions and the remembered answers that speak of it go. */
export const onContactErased = async (store: Store, { institution, data }: Message): Promise<void> => {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new TypeError('contact.erased names no contact');
  const where = { contactNumber };
  const [logins, visits] = [store.collection(users).of(institution), store.collection(sessions).of(institution)];
  for (const { id } of await logins.find({ where })) await logins.delete(id);
  for (const { id } of await visits.find({ where })) await visits.delete(id);
  await store.idempotency.forget(contactNumber);
};
