import { type Context, type Shelf, timestampOf } from '../context.ts';
import { anonymous } from '../domain/order.ts';
import { withoutNames } from '../domain/ticket.ts';
import { changeLine } from './lineage.ts';

const idOf = ({ institution }: Shelf, contactNumber: string): string => `${institution} ${contactNumber}`;

/** Notes that a contact was erased, for confirmations that arrive later. */
export const noteErasure = async (context: Context, shelf: Shelf, contactNumber: string): Promise<void> => {
  const id = idOf(shelf, contactNumber);
  await shelf.erasedContacts.insertMany([{ id, contactNumber, heardAt: timestampOf(context) }]);
};

/** Whether the contact was erased, as far as it was heard here. */
export const isErased = async (shelf: Shelf, contactNumber: string): Promise<boolean> =>
  (await shelf.erasedContacts.get(idOf(shelf, contactNumber))) !== undefined;

/** Drops the names on the contact's tickets and in what its orders asked for, and remembered answers that carry them. */
export const dropNames = async (context: Context, shelf: Shelf, contactNumber: string): Promise<void> => {
  const { idempotency } = context.store;
  // The orders first: tickets that are not written yet are made from them.
  for (const { id } of await shelf.orders.find({ where: { contactNumber } })) {
    await shelf.orders.update(id, (order) => {
      const next = anonymous(order);
      return next === order ? undefined : { next };
    });
  }
  for (const ticket of await shelf.tickets.find({ where: { contactNumber } })) {
    await changeLine(
      shelf,
      ticket,
      (found) => withoutNames(found, timestampOf(context)),
      // Answers from before the contact was known to be the buyer's do not name it.
      async ({ id, contactChanged }) => void (contactChanged && (await idempotency.forget(id))),
    );
  }
  await idempotency.forget(contactNumber);
};
