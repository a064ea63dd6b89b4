import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  created,
  createPageSchema,
  ok,
  operation,
  pageQuery,
  pathId,
  readPage,
  requireScope,
} from '@boxoffice/http';
import type { Static } from 'typebox';
import * as example from '../api/examples.ts';
import { NewPayment, NewRefund, Order, Payment, PaymentChange, paymentReadOnly, Refund } from '../api/schemas.ts';
import { answerOrder, requireRecord, toOrderEtag, toPagedList, toPaymentView, toRefundView } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import { deriveIdFromKey, formatOrderPath, formatPaymentPath } from '../ids.ts';
import { toCreator } from '../orders/create.ts';
import { createHandler, toCommand } from '../saga/command.ts';
import { findOrder } from '../saga/sell.ts';
import type { OrderDocument } from '../store.ts';
import { refundState } from './list-routes.ts';
import { payOrder, refundOrder, settleOrderPayment } from './payments.ts';

const collection = { path: '/svc/v3/orders/{orderId}/payments', params: { orderId: pathId } } as const;
const single = { path: `${collection.path}/{paymentId}`, params: { orderId: pathId, paymentId: pathId } } as const;
const refunds = { path: '/svc/v3/orders/{orderId}/refunds', params: { orderId: pathId } } as const;
const params = { orderId: example.ids.order };
const singleParams = { ...params, paymentId: example.ids.payment };

export function createPaymentsRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      ...collection,
      id: 'listPayments',
      method: 'get',
      access: 'orders.sensitive:read',
      summary: 'Lists the payments of an order in order of creation',
      description: '`reference` only with the scope `orders.sensitive:read`.',
      query: pageQuery,
      answers: { 200: createPageSchema(Payment) },
      example: { params, answer: { items: [example.payment], nextCursor: null } },
      handle: async ({ caller, params: { orderId }, query, cursor }) => {
        const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
        return readPage({ query, cursor }, toPagedList(order.payments), {
          item: (payment) => toPaymentView(order, payment, caller.scopes),
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
        'again; if not, the answer is 412 `payment_recorded`: the money is recorded, and `Location` names the ' +
        'payment. Once places are free, setting that payment to `captured` again confirms the order. An expired ' +
        'order of which something is still due is not confirmed: 412 `payment_recorded`. `reference` is sensitive: ' +
        'writing it needs the scope payments:write or orders.sensitive:write as well (403), and answers contain it ' +
        'with the scope orders.sensitive:read only. With `overpaid`, which needs orders.sensitive:write (403), money ' +
        'beyond what is due is recorded, and of orders in every state: what does not pay the order is `credit`, and ' +
        'the answer is 201, also where an expired order cannot be confirmed. With `changeId` it pays a change of a ' +
        'confirmed order, at most what that has left due; captured in full it does the change. Of one that has lapsed ' +
        'it is late: it does it after all if nobody has ended it by DELETE and its places can be held again, else it ' +
        "is `credit`, and the answer 412 `payment_recorded`. ETag and If-Match are the order's.",
      body: NewPayment,
      answers: { 201: Payment },
      errors: [
        'change_final',
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
        if (body.reference !== undefined && !caller.scopes.includes('orders.sensitive:write'))
          requireScope(caller.scopes, 'payments:write', '$.reference');
        if (body.overpaid) requireScope(caller.scopes, 'orders.sensitive:write', '$.overpaid');
        const answer = (order: OrderDocument) => {
          const payment = requireRecord(order.payments, id);
          return created(
            toPaymentView(order, payment, caller.scopes),
            formatPaymentPath(order.id, payment.id),
            toOrderEtag(order),
          );
        };
        const context = contextOf(caller);
        const command = toCommand(request, answer);
        const id = deriveIdFromKey(command.idempotencyRecord, 'pay') ?? context.newId('pay');
        return answer(await payOrder(context, command, { ...body, id, createdBy: toCreator(caller) }));
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
        const payment = requireRecord(order.payments, paymentId);
        return ok(toPaymentView(order, payment, caller.scopes), toOrderEtag(order));
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
        'order is 412 `payment_recorded`, each time. A payment by a provider is settled by the provider alone: 412 ' +
        '`payment_by_provider`. A payment with `changeId` does its change, or ends the wait for it, in the same way.',
      body: PaymentChange,
      readOnly: paymentReadOnly,
      answers: { 200: Order },
      errors: ['conflict', 'payment_by_provider', 'payment_final', 'payment_recorded', 'semantically_invalid'],
      etag: true,
      conditional: true,
      example: { params: singleParams, body: { status: 'captured' }, answer: example.paid },
      handle: createHandler(
        contextOf,
        answerOrder,
      )((context, command, request) => {
        const { caller, params, body } = request;
        const requireUnchanged = (order: OrderDocument): void => {
          const payment = order.payments.find(({ id }) => id === params.paymentId);
          if (payment) request.requireUnchanged(toPaymentView(order, payment, caller.scopes));
        };
        return settleOrderPayment(context, { ...command, requireUnchanged }, params.paymentId, body.status);
      }),
    }),
  ];
}

/** @throws Fault `validation_error` unless it is by a method, or by a provider, which gives its own reference */
const readRefund = ({ method, provider, paymentId, reference, ...money }: Static<typeof NewRefund>) => {
  if (method !== undefined && provider === undefined && paymentId === undefined)
    return { ...money, method, ...(reference !== undefined && { reference }) };
  if (provider !== undefined && method === undefined && reference === undefined)
    return { ...money, provider, ...(paymentId !== undefined && { paymentId }) };
  const rule = 'a refund has either $.method, and perhaps $.reference, or $.provider, and perhaps $.paymentId';
  throw new Fault('validation_error', `$: ${rule}.`);
};

export function createRefundsRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      ...refunds,
      id: 'listRefunds',
      method: 'get',
      access: 'orders.sensitive:read',
      summary: 'Lists the refunds of an order in order of creation',
      description: '`reference` only with the scope `orders.sensitive:read`.',
      query: { ...pageQuery, state: refundState },
      answers: { 200: createPageSchema(Refund) },
      example: { params, answer: { items: [example.refund], nextCursor: null } },
      handle: async ({ caller, params: { orderId }, query, cursor }) => {
        const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
        const wanted = order.refunds.filter(({ status = 'done' }) => (query.state ?? status) === status);
        return readPage({ query, cursor }, toPagedList(wanted), {
          item: (refund) => toRefundView(order, refund, caller.scopes),
        });
      },
    }),
    operation({
      ...refunds,
      id: 'refundOrder',
      method: 'post',
      access: 'orders.sensitive:write',
      summary: 'Records a refund, in every state of the order',
      description:
        'Refunds do not lower `paid`. Money that is refunded before the order is confirmed is due again. Of a ' +
        'confirmed order what is beyond its `credit` is `goodwill` if nothing was due, else it is due again. While ' +
        'it is being confirmed the answer is 409 `conflict`. With `provider` the provider is asked to give back one of ' +
        'its payments: the `state` is `pending` until `refund.changed` tells what became of it; 422 ' +
        '`refund_exceeds_paid` if so much is left of no payment, 409 `payment_disputed` while the buyer disputes it. ' +
        "ETag and If-Match are the order's.",
      body: NewRefund,
      answers: { 201: Refund },
      errors: ['conflict', 'payment_disputed', 'refund_exceeds_paid', 'semantically_invalid'],
      etag: true,
      conditional: true,
      example: { params, body: example.newRefund, answer: example.refund },
      handle: async (request) => {
        const answer = (order: OrderDocument) => {
          const refund = requireRecord(order.refunds, id);
          return created(
            toRefundView(order, refund, request.caller.scopes),
            `${formatOrderPath(order.id)}/refunds/${refund.id}`,
            toOrderEtag(order),
          );
        };
        const wanted = readRefund(request.body);
        const context = contextOf(request.caller);
        const command = toCommand(request, answer);
        const id = deriveIdFromKey(command.idempotencyRecord, 'ref') ?? context.newId('ref');
        return answer(await refundOrder(context, command, { ...wanted, id, createdBy: toCreator(request.caller) }));
      },
    }),
    operation({
      id: 'getRefund',
      method: 'get',
      path: `${refunds.path}/{refundId}`,
      access: 'orders.sensitive:read',
      summary: 'Reads a refund',
      description: "ETag is the order's.",
      params: { orderId: pathId, refundId: pathId },
      answers: { 200: Refund },
      etag: true,
      example: { params: { ...params, refundId: example.ids.refund }, answer: example.refund },
      handle: async ({ caller, params: { orderId, refundId } }) => {
        const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
        const refund = requireRecord(order.refunds, refundId);
        return ok(toRefundView(order, refund, caller.scopes), toOrderEtag(order));
      },
    }),
  ];
}
