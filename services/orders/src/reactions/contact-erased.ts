import type { Message } from '@boxoffice/messaging';
import type { Idempotency } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { withoutNames } from '../domain/cart.ts';
import { textIn } from './event-data.ts';

const PAGE = 200;

/**
 * contact.erased: deletes the cached answers that contain the contact and the beneficiaries' names in its orders.
 * Orders keep the contact number, so that they stay valid.
 */
export const onContactErased = async (
  context: Pick<OrdersContext, 'orders' | 'now'>,
  idempotency: Pick<Idempotency, 'forget'>,
  message: Message,
): Promise<void> => {
  const contactNumber = textIn(message, 'contactNumber');
  const orders = context.orders.of(message.institution);
  for (let last = { value: -1, id: '' }; ; ) {
    const found = await orders.find({
      where: { contactNumber },
      orderBy: 'listedAt',
      after: last,
      limit: PAGE,
    });
    for (const { id, lines } of found) {
      // Answers from before the contact became the buyer have only the order among their subjects.
      if (lines.some(({ beneficiary }) => beneficiary)) await idempotency.forget(id);
      await orders.update(id, (order) => {
        if (order.contactNumber !== contactNumber || order.erasedContact === contactNumber) return undefined;
        return { next: { ...withoutNames(order, context.now()), erasedContact: contactNumber } };
      });
    }
    const end = found.at(-1);
    if (!end || found.length < PAGE) break;
    last = { value: end.listedAt ?? -1, id: end.id };
  }
  await idempotency.forget(contactNumber);
};
