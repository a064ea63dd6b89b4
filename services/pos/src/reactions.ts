import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import type { Orders } from './clients/orders.ts';
import type { DemoFiles } from './mail/demo.ts';
import { isWritten, type WritingContext } from './mail/open.ts';
import {
  eraseMails,
  MOVE_PAUSE_MS,
  type NewMail,
  parseMove,
  toMoveMail,
  toOrderMail,
  toRequestedMail,
} from './mail/outbox.ts';
import { deleteOrderLinks } from './orders/links.ts';
import type { PosContext } from './request/context.ts';
import { deleteSessions } from './sessions/sessions.ts';
import { formatCartSubject, users } from './store.ts';

const PAGE = 500;

/**
 * Deletes the logins of an erased contact, their sessions, its mails, the links to its orders, and idempotency records.
 * Rejects if orders does not answer; the message is then retried. @throws {Unreadable}
 */
export async function eraseContact(
  store: Store,
  orders: Orders,
  message: Message,
  demoFiles?: Pick<DemoFiles, 'erase'>,
): Promise<void> {
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
}

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
      await store.idempotency.forget(formatCartSubject(id));
    }
    if (items.length < PAGE) return;
  }
};

type Context = WritingContext & Pick<PosContext, 'orders' | 'now'>;

/** A fact that comes again adds no mail; one from which none follows needs no store. @throws {Unreadable} */
export async function queueMails(context: Context, message: Message): Promise<void> {
  if (!context.mail.isOn()) return;
  if (message.type === 'order.recorded') await onOrder(context, message);
  else if (message.type === 'order.mail_requested') await onRequest(context, message);
  else if (message.type === 'performance.moved') await onMove(context, message);
  else throw new Unreadable(`no mail follows from ${message.type}`);
}

const onOrder = async (context: Context, message: Message): Promise<void> => {
  const { institution } = message;
  const mail = toOrderMail(message, context.now());
  if (!mail || !(await isWritten(context, mail.pointOfSale))) return;
  // The events of refunds and changes do not name the buyer, by whom an erasure finds the mail.
  const buyer = mail.contactNumber ?? (await context.orders.get(institution, mail.orderId))?.contactNumber ?? null;
  await context.mail.outbox.add(institution, [{ ...mail, contactNumber: buyer }]);
};

const onRequest = async (context: Context, message: Message): Promise<void> => {
  const mail = toRequestedMail(message, context.now());
  if (mail && (await isWritten(context, mail.pointOfSale))) await context.mail.outbox.add(message.institution, [mail]);
};

/** May be interrupted and repeated. */
const onMove = async (context: Context, message: Message): Promise<void> => {
  const { institution } = message;
  const move = parseMove(message, context.now());
  if (!move) return;
  for await (const orders of context.orders.ofPerformance(institution, move.performanceId)) {
    const mails: NewMail[] = [];
    for (const order of orders)
      if (await isWritten(context, order.pointOfSale)) mails.push(toMoveMail(message, move, order, context.now()));
    await context.mail.outbox.add(institution, mails, context.now() + MOVE_PAUSE_MS);
  }
};
