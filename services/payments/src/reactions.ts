import { findReaction, type Message, Unreadable } from '@boxoffice/messaging';
import { type DueChange, insertUnlessTaken } from '@boxoffice/store';
import type { PaymentsContext } from './context.ts';
import { isProvider } from './domain/keys.ts';
import { isPending } from './domain/payment.ts';
import { createRefund } from './domain/refund.ts';

/** `due`: of each page of the order that may still be paid. */
const hurryPages = async (
  { payments }: PaymentsContext,
  { institution, data }: Message,
  due: DueChange,
): Promise<void> => {
  const { orderId, pointOfSale } = data as { readonly orderId?: unknown; readonly pointOfSale?: unknown };
  if (typeof orderId !== 'string') throw new Unreadable('a fact of an order needs orderId');
  // Pages are opened by points of sale: what partners sell costs no read.
  if (pointOfSale === null) return;
  const ofOrder = payments.of(institution);
  const found = await ofOrder.find({ where: { orderId }, orderBy: 'createdAt', index: 'order' });
  for (const { id } of found.filter(isPending))
    await ofOrder.update(id, (current) => (isPending(current) ? { next: current, due } : undefined));
};

type Reaction = (context: PaymentsContext, message: Message) => Promise<void>;

/** The order has ended. */
const closePages: Reaction = (context, message) => hurryPages(context, message, { close: context.now() });

/** The order is sold, or a change of it has ended: others may wait for their payment still, as orders says. */
const closeUnwantedPages: Reaction = (context, message) => hurryPages(context, message, { ask: context.now() });

const addRefund = async ({ refunds, now: clock }: PaymentsContext, { institution, data }: Message): Promise<void> => {
  const { orderId, refundId, paymentId, provider, amount, currency } = data as Readonly<Record<string, unknown>>;
  if (
    typeof orderId !== 'string' ||
    typeof refundId !== 'string' ||
    typeof paymentId !== 'string' ||
    !isProvider(provider) ||
    typeof amount !== 'number' ||
    typeof currency !== 'string'
  )
    throw new Unreadable('order.refund_requested needs orderId, refundId, paymentId, provider, amount and currency');
  const now = clock();
  const refund = createRefund({ id: refundId, orderId, paymentId, provider, purpose: 'order', amount, currency }, now);
  const due = { refund: now };
  if (await insertUnlessTaken(refunds.of(institution), refund, { due })) return;
  // Published again, so orders does not have its state: it is reported once more.
  await refunds.of(institution).update(refundId, (next) => ({ next: { ...next, reported: false }, due }));
};

const reactions = {
  'order.confirmed': closeUnwantedPages,
  'order.cancelled': closePages,
  'order.expired': closePages,
  'order.refund_requested': addRefund,
};

export function reactTo(context: PaymentsContext): (message: Message) => Promise<void> {
  return (message) => findReaction(reactions, message)(context, message);
}
