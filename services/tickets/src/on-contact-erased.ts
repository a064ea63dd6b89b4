import { type Message, Unreadable } from '@boxoffice/messaging';
import { type Context, timestampOf } from './context.ts';
import { withoutNames } from './domain/ticket.ts';

/** Drops the names on the contact's tickets, and remembered answers that carry them. */
export const onContactErased = async (context: Context, { institution, data }: Message): Promise<void> => {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  const { tickets } = context.shelf(institution);
  const { idempotency } = context.store;
  for (const { id } of await tickets.find({ where: { contactNumber } })) {
    const now = timestampOf(context);
    const ticket = await tickets.update(id, (found) => {
      const next = withoutNames(found, now);
      return next === found ? undefined : { next };
    });
    // Answers from before the contact was known to be the buyer's do not name it.
    if (ticket?.contactChanged) await idempotency.forget(id);
  }
  await idempotency.forget(contactNumber);
};
