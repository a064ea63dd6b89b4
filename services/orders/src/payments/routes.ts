// Payments of orders: recorded, listed, read and settled.

import { type AnyOperation, created, operation, page, pageOf, pageQuery, pathId, requireScope } from '@boxoffice/http';
import * as example from '../api/examples.ts';
import { NewPayment, Order, Payment, PaymentChange, paymentReadOnly } from '../api/schemas.ts';
import { listed, named, ofOrder, orderAnswer, paymentView, record } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import { addressOfPayment, idMadeBy } from '../ids.ts';
import { commandOf } from '../steps/command.ts';
import { findOrder } from '../steps/sell.ts';
import type { OrderDocument } from '../store.ts';
import { payOrder, settleOrderPayment } from './payments.ts';

const collection = { path: '/svc/v3/orders/{orderId}/payments', params: { orderId: pathId } } as const;
const single = { path: `${collection.path}/{paymentId}`, params: { orderId: pathId, paymentId: pathId } } as const;
const params = { orderId: example.ids.order };
const singleParams = { ...params, paymentId: example.ids.payment };

/** Payments: the operations that list, record, read and settle them. */
export const paymentsRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    ...collection,
    id: 'listPayments',
    method: 'get',
    access: 'orders.sensitive:read',
    summary: 'Lists the payments of an order in order of creation',
    description: '`reference` only with the scope `orders.sensitive:read`.',
    query: pageQuery,
    answers: { 200: page(Payment) },
    example: { params, answer: { items: [example.payment], nextCursor: null } },
    handle: async ({ caller, params: { orderId }, query, cursor }) => {
      const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
      return pageOf({ query, cursor }, listed(order.payments), {
        item: (payment) => paymentView(order, payment, caller.scopes),
      });
    },
  }),
  operation({
    ...collection,
    id: 'addPayment',
    method: 'post',
    access: 'orders:write',
    summary: 'Records a payment; fully captured it confirms the order',
    description:
      'Pending amounts do not lower `due`. A capture on an expired order confirms it if its places can be held ' +
      'again; if not, the answer is 412 `payment_recorded`: the money is recorded, and `Location` names the payment. ' +
      'Once places are free, setting that payment to `captured` again confirms the order. An expired order of which ' +
      'something is still due is not confirmed: 412 `payment_recorded`. `reference` is sensitive: ' +
      'writing it needs the scope orders.sensitive:write as well (403), and answers contain it with the scope ' +
      "orders.sensitive:read only. ETag and If-Match are the order's.",
    body: NewPayment,
    answers: { 201: Payment },
    errors: [
      'conflict',
      'order_cancelled',
      'order_expired',
      'payment_recorded',
      'payment_exceeds_due',
      'semantically_invalid',
    ],
    etag: true,
    conditional: true,
    example: { params, body: example.newPayment, answer: example.payment },
    handle: async (request) => {
      const { caller, body } = request;
      if (body.reference !== undefined) requireScope(caller.scopes, 'orders.sensitive:write', '$.reference');
      const answer = (order: OrderDocument) => {
        const payment = named(order.payments, id);
        return created(
          paymentView(order, payment, caller.scopes),
          addressOfPayment(order.id, payment.id),
          ofOrder(order),
        );
      };
      const context = contextOf(caller);
      const command = commandOf(request, answer);
      const id = idMadeBy(command.idempotencyRecord, 'pay') ?? context.newId('pay');
      return answer(await payOrder(context, command, { ...body, id }));
    },
  }),
  operation({
    ...single,
    id: 'getPayment',
    method: 'get',
    access: 'orders.sensitive:read',
    summary: 'Reads a payment',
    description: "ETag is the order's.",
    answers: { 200: Payment },
    etag: true,
    example: { params: singleParams, answer: example.payment },
    handle: async ({ caller, params: { orderId, paymentId } }) => {
      const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
      return record(order, paymentView(order, named(order.payments, paymentId), caller.scopes));
    },
  }),
  operation({
    ...single,
    id: 'settlePayment',
    method: 'patch',
    access: 'orders:write',
    summary: 'Settles a pending payment as captured or failed; returns the order',
    description:
      'Captured in full it confirms the order, also an expired one if its places can be held again; if not, the ' +
      'answer is 412 `payment_recorded`: the money is recorded, and once places are free the same request again ' +
      'confirms the order, unless money was refunded since. When no payment is pending any more, the order returns ' +
      'to its previous state. The status that the payment already has changes nothing; `captured` on a cancelled ' +
      'order is 412 `payment_recorded`, each time.',
    body: PaymentChange,
    readOnly: paymentReadOnly,
    answers: { 200: Order },
    errors: ['conflict', 'payment_final', 'payment_recorded', 'semantically_invalid'],
    etag: true,
    conditional: true,
    example: {
      params: singleParams,
      body: { status: 'captured' },
      answer: example.paid,
    },
    handle: async (request) => {
      const { params, body } = request;
      const unchanged = (order: OrderDocument): void => {
        const payment = order.payments.find(({ id }) => id === params.paymentId);
        if (payment) request.unchanged(paymentView(order, payment, request.caller.scopes));
      };
      return orderAnswer(
        await settleOrderPayment(
          contextOf(request.caller),
          { ...commandOf(request, orderAnswer), unchanged },
          params.paymentId,
          body.status,
        ),
      );
    },
  }),
];
