// The cancellation of an order.

import { type AnyOperation, operation, pathId } from '@boxoffice/http';
import type { ContextOf } from '../bounds.ts';
import * as example from '../examples.ts';
import { RefusedOrder } from '../faults.ts';
import { orderAnswer } from '../orders/view.ts';
import { CancellationRequest, Order } from '../schemas.ts';
import { commandOf } from '../steps/command.ts';
import { cancelOrder } from './cancel.ts';

/** Adds to the refusal that `override` needs a scope which the client does not have. */
const explainMissingScope = (error: unknown): never => {
  if (!(error instanceof RefusedOrder && error.reason === 'ticket_controlled')) throw error;
  const details = `${error.details} $.override counts only with the scope orders.sensitive:write.`;
  throw new RefusedOrder(error.reason, error.code, details, error.headers);
};

/** Cancellation: the operation that cancels an order. */
export const cancellationRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    id: 'cancelOrder',
    method: 'post',
    path: '/svc/v3/orders/{orderId}/cancellation',
    access: 'orders:write',
    summary: 'Cancels an order, at once and durably',
    description:
      'Tickets are cancelled and places released afterwards; `cancellation.settledAt` is when all of that was done. ' +
      'With a controlled ticket the answer is 412 `order_ticket_controlled`, unless `override` is true, which counts ' +
      'with the scope orders.sensitive:write only.',
    params: { orderId: pathId },
    body: CancellationRequest,
    answers: { 200: Order },
    errors: ['conflict', 'order_expired', 'order_cancelled', 'order_ticket_controlled'],
    etag: true,
    conditional: true,
    example: {
      params: { orderId: example.ids.order },
      body: { reason: 'the customer is ill' },
      answer: example.cancelled,
    },
    handle: async (request) => {
      const { caller, body } = request;
      const { reason = null, override = false } = body;
      const mayOverride = caller.scopes.includes('orders.sensitive:write');
      const cancelled = cancelOrder(contextOf(caller), commandOf(request, orderAnswer), {
        reason,
        override: override && mayOverride,
      });
      return orderAnswer(await (override && !mayOverride ? cancelled.catch(explainMissingScope) : cancelled));
    },
  }),
];
