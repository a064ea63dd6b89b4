import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, named, oneOf, operation, pathId } from '@boxoffice/http';
import { Type } from 'typebox';
import * as example from '../api/examples.ts';
import { stateCodes } from '../api/faults.ts';
import type { ContextOf, OrdersContext } from '../context.ts';
import { computeMailWait, requestMail } from '../domain/mails.ts';
import { refuseState } from '../domain/order/state.ts';
import { type Command, createHandler, runCommand } from '../saga/command.ts';
import { findOrder } from '../saga/sell.ts';
import type { OrderDocument } from '../store.ts';

const MailRequest = named(
  'OrderMailRequest',
  Type.Object({ kind: oneOf(['confirmation'], { description: 'which mail' }) }),
);
const QueuedMail = named(
  'QueuedMail',
  Type.Object({ queued: Type.Boolean({ description: 'true: the mail will be sent' }) }),
);

const queued = { status: 202, data: { queued: true } } as const;

export function createMailsRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'requestOrderMail',
      method: 'post',
      path: '/svc/v3/orders/{orderId}/mails',
      access: 'orders:write',
      summary: 'Sends the buyer the mail that confirms the order again, with its tickets and a new link to it',
      description:
        'The mail is that of the point of sale of the order, and is sent as soon as possible, if the installation ' +
        'sends mails. At most five a day for an order.',
      params: { orderId: pathId },
      body: MailRequest,
      answers: { 202: QueuedMail },
      errors: [
        'conflict',
        'order_not_confirmed',
        ...stateCodes.filter((code) => /expired|cancelled/.test(code)),
        'too_many_requests',
      ],
      example: { params: { orderId: example.ids.order }, body: { kind: 'confirmation' }, answer: queued.data },
      handle: createHandler(contextOf, () => queued)((context, command) => askForMail(context, command)),
    }),
  ];
}

/** @throws Fault `conflict`, `order_not_confirmed`, `too_many_requests`, and for orders that have ended */
const askForMail = async (context: OrdersContext, command: Command): Promise<OrderDocument> => {
  const { pointOfSale, contactNumber, guest } = await findOrder(context, command);
  if (pointOfSale === null) throw new Fault('conflict', 'The order has no point of sale, which would send the mail.');
  // A guest's is written to the contact after the order.
  const hasEmail =
    contactNumber !== null && (guest != null || (await context.contacts.hasEmail(command.institution, contactNumber)));
  if (!hasEmail) throw new Fault('conflict', 'The order has no contact with an email.');
  const { order } = await runCommand(context, command, (current, now) => {
    if (current.state === 'expired' || current.state === 'cancelled') return refuseState(current, 'confirmed by mail');
    if (current.state !== 'confirmed')
      throw new Fault('order_not_confirmed', 'The order is not confirmed, so no mail can confirm it.');
    const wait = computeMailWait(current, now);
    if (wait === 0) return requestMail(current, now);
    const details = 'Five mails of this order were asked for within a day.';
    throw new Fault('too_many_requests', details, { 'Retry-After': String(Math.ceil(wait / 1_000)) });
  });
  return order;
};
