// The cancellation of an order.

import { type AnyOperation, operation, pathId } from '@boxoffice/http';
import * as example from '../api/examples.ts';
import { RefusedOrder, stateCodes } from '../api/faults.ts';
import { CancellationRequest, Confirmation, Extension, Order, Reservation } from '../api/schemas.ts';
import { orderAnswer } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import { commandOf } from '../steps/command.ts';
import { cancelOrder } from './cancel.ts';
import { confirmOrder } from './confirm.ts';
import { extendOrder, reserveOrder } from './extend.ts';

const params = { orderId: example.ids.order };

const action = (name: string) =>
  ({
    method: 'post',
    path: `/svc/v3/orders/{orderId}/${name}`,
    params: { orderId: pathId },
    etag: true,
    conditional: true,
  }) as const;

/** State changes of orders: extension, reservation and confirmation. */
export const actionsRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    ...action('extension'),
    id: 'extendOrder',
    access: 'orders:write',
    summary: 'Extends the hold of an open or reserved order',
    description: 'The hold ends `minutes` from now, at most 60; it is never shortened.',
    body: Extension,
    answers: { 200: Order },
    errors: ['conflict', 'semantically_invalid', ...stateCodes],
    example: { params, body: { minutes: 30 }, answer: example.extended },
    handle: async (request) =>
      orderAnswer(await extendOrder(contextOf(request.caller), commandOf(request, orderAnswer), request.body.minutes)),
  }),
  operation({
    ...action('reservation'),
    id: 'reserveOrder',
    access: 'orders:write',
    summary: 'Holds the places of an open order without payment until a date',
    description: 'Any instant in the future; the hold ends then.',
    body: Reservation,
    answers: { 200: Order },
    errors: ['conflict', 'semantically_invalid', ...stateCodes],
    example: { params, body: { dueAt: example.reserved.dueAt }, answer: example.reserved },
    handle: async (request) =>
      orderAnswer(
        await reserveOrder(contextOf(request.caller), commandOf(request, orderAnswer), Date.parse(request.body.dueAt)),
      ),
  }),
  operation({
    ...action('confirmation'),
    id: 'confirmOrder',
    access: 'orders:write',
    summary: 'Confirms an order that is free of charge, paid or on account: sells its places, issues its tickets',
    description:
      'While a payment is pending the answer is 412 `order_payment_pending`, unless `onAccount` is true: settle the ' +
      'payment first.',
    body: Confirmation,
    answers: { 200: Order },
    errors: ['conflict', 'order_unpaid', 'order_empty', ...stateCodes],
    example: { params, body: { onAccount: true }, answer: example.confirmed },
    handle: async (request) =>
      orderAnswer(
        await confirmOrder(contextOf(request.caller), commandOf(request, orderAnswer), request.body.onAccount === true),
      ),
  }),
];

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
