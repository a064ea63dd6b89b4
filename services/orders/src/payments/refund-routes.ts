// Refunds of orders: recorded, listed and read.

import { type AnyOperation, created, operation, page, pageOf, pageQuery, pathId } from '@boxoffice/http';
import * as example from '../api/examples.ts';
import { NewRefund, Refund } from '../api/schemas.ts';
import { listed, named, ofOrder, record, refundView } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import { addressOf, idMadeBy } from '../ids.ts';
import { commandOf } from '../steps/command.ts';
import { findOrder } from '../steps/sell.ts';
import type { OrderDocument } from '../store.ts';
import { refundOrder } from './payments.ts';

const collection = { path: '/svc/v3/orders/{orderId}/refunds', params: { orderId: pathId } } as const;
const params = { orderId: example.ids.order };

/** Refunds: the operations that list, record and read them. */
export const refundsRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    ...collection,
    id: 'listRefunds',
    method: 'get',
    access: 'orders.sensitive:read',
    summary: 'Lists the refunds of an order in order of creation',
    description: '`reference` only with the scope `orders.sensitive:read`.',
    query: pageQuery,
    answers: { 200: page(Refund) },
    example: { params, answer: { items: [example.refund], nextCursor: null } },
    handle: async ({ caller, params: { orderId }, query, cursor }) => {
      const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
      return pageOf({ query, cursor }, listed(order.refunds), {
        item: (refund) => refundView(order, refund, caller.scopes),
      });
    },
  }),
  operation({
    ...collection,
    id: 'refundOrder',
    method: 'post',
    access: 'orders.sensitive:write',
    summary: 'Records a refund, in every state of the order',
    description:
      'Refunds do not lower `paid`. Money that is refunded before the order is confirmed is due again. While it is ' +
      "being confirmed the answer is 409 `conflict`. ETag and If-Match are the order's.",
    body: NewRefund,
    answers: { 201: Refund },
    errors: ['conflict', 'refund_exceeds_paid', 'semantically_invalid'],
    etag: true,
    conditional: true,
    example: { params, body: example.newRefund, answer: example.refund },
    handle: async (request) => {
      const answer = (order: OrderDocument) => {
        const refund = named(order.refunds, id);
        return created(
          refundView(order, refund, request.caller.scopes),
          `${addressOf(order.id)}/refunds/${refund.id}`,
          ofOrder(order),
        );
      };
      const context = contextOf(request.caller);
      const command = commandOf(request, answer);
      const id = idMadeBy(command.idempotencyRecord, 'ref') ?? context.newId('ref');
      return answer(await refundOrder(context, command, { ...request.body, id }));
    },
  }),
  operation({
    id: 'getRefund',
    method: 'get',
    path: `${collection.path}/{refundId}`,
    access: 'orders.sensitive:read',
    summary: 'Reads a refund',
    description: "ETag is the order's.",
    params: { orderId: pathId, refundId: pathId },
    answers: { 200: Refund },
    etag: true,
    example: { params: { ...params, refundId: example.ids.refund }, answer: example.refund },
    handle: async ({ caller, params: { orderId, refundId } }) => {
      const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
      return record(order, refundView(order, named(order.refunds, refundId), caller.scopes));
    },
  }),
];
