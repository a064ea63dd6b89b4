import { PosFault } from '@boxoffice/envelope';
import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Mail } from '../mail/open.ts';
import { mailOfMove, mailOfOrder, moveOf, type NewMail } from '../mail/plan.ts';
import type { PosContext } from '../request/context.ts';

type Context = Pick<PosContext, 'orders' | 'pointOfSaleOf' | 'now'> & { readonly mail: Mail };

/** Whether mails of this point of sale go anywhere. One that is gone has no mails either. */
const isWritten = async ({ mail, pointOfSaleOf }: Context, serviceHost: string): Promise<boolean> => {
  try {
    return mail.isOn(await pointOfSaleOf(serviceHost));
  } catch (error) {
    if (error instanceof PosFault && error.errorCode === 'context_invalid') return false;
    throw error;
  }
};

const onOrder = async (context: Context, message: Message): Promise<void> => {
  const { institution } = message;
  const mail = mailOfOrder(message, context.now());
  if (!mail || !(await isWritten(context, mail.pointOfSale))) return;
  // The event of a refund does not name the buyer, by whom an erasure finds the mail.
  const buyer = mail.contactNumber ?? (await context.orders.get(institution, mail.orderId))?.contactNumber ?? null;
  await context.mail.outbox.add(institution, [{ ...mail, contactNumber: buyer }]);
};

/** Writes to the buyers page by page; it may be interrupted and repeated. */
const onMove = async (context: Context, message: Message): Promise<void> => {
  const { institution } = message;
  const move = moveOf(message, context.now());
  if (!move) return;
  for await (const orders of context.orders.ofPerformance(institution, move.performanceId)) {
    const mails: NewMail[] = [];
    for (const order of orders)
      if (await isWritten(context, order.pointOfSale)) mails.push(mailOfMove(message, move, order, context.now()));
    await context.mail.outbox.add(institution, mails);
  }
};

/**
 * Writes the mails that follow from a fact into the outbox; a fact that comes again adds none. Where no mails are sent
 * nothing is done.
 * @throws {Unreadable}
 */
export const onMailFact = async (context: Context, message: Message): Promise<void> => {
  if (!context.mail.isOn()) return;
  if (message.type === 'order.recorded') await onOrder(context, message);
  else if (message.type === 'performance.moved') await onMove(context, message);
  else throw new Unreadable(`no mail follows from ${message.type}`);
  context.mail.sender.wake();
};
