// State changes of orders: extension, reservation, confirmation and cancellation.

import { type AnyOperation, operation, pathId } from '@boxoffice/http';
import * as example from '../api/examples.ts';
import { RefusedOrder, stateCodes } from '../api/faults.ts';
import { CancellationRequest, Confirmation, Extension, Order, Reservation } from '../api/schemas.ts';
import { orderAnswer } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import { createHandler } from '../steps/command.ts';
import { cancelOrder } from './cancel.ts';
import { confirmOrder } from './confirm.ts';
import { extendOrder, reserveOrder } from './extend.ts';

const params = { orderId: example.ids.order };

const action = (name: string) =>
  ({
    method: 'post',
    path: `/svc/v3/orders/{orderId}/${name}`,
    access: 'orders:write',
    params: { orderId: pathId },
    answers: { 200: Order },
    etag: true,
    conditional: true,
  }) as const;

/** Adds to the refusal that `override` needs a scope which the client does not have. */
const explainMissingScope = (error: unknown): never => {
  if (!(error instanceof RefusedOrder && error.reason === 'ticket_controlled')) throw error;
  const details = `${error.details} $.override counts only with the scope orders.sensitive:write.`;
  throw new RefusedOrder(error.reason, error.code, details, error.headers);
};

/** The operations that extend, reserve, confirm and cancel an order. */
export const actionsRoutes = (contextOf: ContextOf): AnyOperation[] => {
  const handler = createHandler(contextOf, orderAnswer);
  return [
    operation({
      ...action('extension'),
      id: 'extendOrder',
      summary: 'Extends the hold of an open or reserved order',
      description: 'The hold ends `minutes` from now, at most 60; it is never shortened.',
      body: Extension,
      errors: ['conflict', 'semantically_invalid', ...stateCodes],
      example: { params, body: { minutes: 30 }, answer: example.extended },
      handle: handler((context, command, { body }) => extendOrder(context, command, body.minutes)),
    }),
    operation({
      ...action('reservation'),
      id: 'reserveOrder',
      summary: 'Holds the places of an open order without payment until a date',
      description: 'Any instant in the future; the hold ends then.',
      body: Reservation,
      errors: ['conflict', 'semantically_invalid', ...stateCodes],
      example: { params, body: { dueAt: example.reserved.dueAt }, answer: example.reserved },
      handle: handler((context, command, { body }) => reserveOrder(context, command, Date.parse(body.dueAt))),
    }),
    operation({
      ...action('confirmation'),
      id: 'confirmOrder',
      summary: 'Confirms an order that is free of charge, paid or on account: sells its places, issues its tickets',
      description:
        'While a payment is pending the answer is 412 `order_payment_pending`, unless `onAccount` is true: settle the ' +
        'payment first.',
      body: Confirmation,
      errors: ['conflict', 'order_unpaid', 'order_empty', ...stateCodes],
      example: { params, body: { onAccount: true }, answer: example.confirmed },
      handle: handler((context, command, { body }) => confirmOrder(context, command, body.onAccount === true)),
    }),
    operation({
      ...action('cancellation'),
      id: 'cancelOrder',
      summary: 'Cancels an order, at once and durably',
      description:
        'Tickets are cancelled and places released afterwards; `cancellation.settledAt` is when all of that was done. ' +
        'With a controlled ticket the answer is 412 `order_ticket_controlled`, unless `override` is true, which counts ' +
        'with the scope orders.sensitive:write only.',
      body: CancellationRequest,
      errors: ['conflict', 'order_expired', 'order_cancelled', 'order_ticket_controlled'],
      example: { params, body: { reason: 'the customer is ill' }, answer: example.cancelled },
      handle: handler((context, command, { caller, body: { reason = null, override = false } }) => {
        const mayOverride = caller.scopes.includes('orders.sensitive:write');
        const cancelled = cancelOrder(context, command, { reason, override: override && mayOverride });
        return override && !mayOverride ? cancelled.catch(explainMissingScope) : cancelled;
      }),
    }),
  ];
};
