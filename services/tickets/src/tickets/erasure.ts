import { type Collections, type Context, timestampOf } from '../context.ts';
import { withoutNames } from '../domain/beneficiary.ts';
import { withoutBeneficiaries } from '../domain/order.ts';
import { changeLine } from './lineage.ts';

const idOf = ({ institution }: Collections, contactNumber: string): string => `${institution} ${contactNumber}`;

/** Records that a contact was erased, for confirmations that arrive later. */
export const recordErasure = async (
  context: Context,
  collections: Collections,
  contactNumber: string,
): Promise<void> => {
  const id = idOf(collections, contactNumber);
  await collections.erasedContacts.insertMany([{ id, contactNumber, heardAt: timestampOf(context) }]);
};

/** Whether this service has recorded the erasure of the contact. */
export const isErased = async (collections: Collections, contactNumber: string): Promise<boolean> =>
  (await collections.erasedContacts.get(idOf(collections, contactNumber))) !== undefined;

/**
 * Deletes the names on the contact's tickets, in its orders' requested tickets, and in recorded answers of repeated
 * requests.
 */
export const deleteNames = async (context: Context, collections: Collections, contactNumber: string): Promise<void> => {
  const { idempotency } = context.store;
  // Orders first: tickets that are not written yet are made from them.
  for (const { id } of await collections.orders.find({ where: { contactNumber } })) {
    await collections.orders.update(id, (order) => {
      const next = withoutBeneficiaries(order);
      return next === order ? undefined : { next };
    });
  }
  for (const ticket of await collections.tickets.find({ where: { contactNumber } })) {
    await changeLine(
      collections,
      ticket,
      (found) => withoutNames(found, timestampOf(context)),
      // Answers recorded before the contact became the buyer do not have it among their subjects.
      async ({ id, contactChanged }) => void (contactChanged && (await idempotency.forget(id))),
    );
  }
  await idempotency.forget(contactNumber);
};
