import { type Message, Unreadable } from '@boxoffice/messaging';
import { type Context, timestampOf } from './context.ts';
import { withoutNames } from './domain/ticket.ts';
import { changeLine } from './lineage.ts';

/** Drops the names on the contact's tickets, and remembered answers that carry them. */
export const onContactErased = async (context: Context, { institution, data }: Message): Promise<void> => {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  const shelf = context.shelf(institution);
  const { idempotency } = context.store;
  const now = timestampOf(context);
  for (const ticket of await shelf.tickets.find({ where: { contactNumber } })) {
    await changeLine(
      shelf,
      ticket,
      (found) => withoutNames(found, now),
      // Answers from before the contact was known to be the buyer's do not name it.
      async ({ id, contactChanged }) => void (contactChanged && (await idempotency.forget(id))),
    );
  }
  await idempotency.forget(contactNumber);
};
