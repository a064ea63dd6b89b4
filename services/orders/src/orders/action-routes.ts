import { type AnyOperation, operation, pathId } from '@boxoffice/http';
import { one } from '../answers.ts';
import { commandOf } from '../asking.ts';
import { cancelOrder } from '../cancellation/cancel.ts';
import type { OrdersContext } from '../context.ts';
import * as example from '../examples.ts';
import { RefusedByRule } from '../faults.ts';
import { CancellationRequest, Confirmation, Extension, Order, Reservation } from '../schemas.ts';
import { confirmOrder } from './confirm.ts';
import { extendOrder, reserveOrder } from './extend.ts';

const params = { orderId: example.ids.order };

/** Why an override did not count, where it would have. */
const explainMissingScope = (error: unknown): never => {
  if (!(error instanceof RefusedByRule && error.reason === 'ticket_controlled')) throw error;
  const details = `${error.details} $.override counts only with the scope orders.sensitive:write.`;
  throw new RefusedByRule(error.reason, error.code, details, error.headers);
};

/** Codes of the states in which no hold is kept longer, and nothing is confirmed that is not paid. */
const over = ['order_expired', 'order_cancelled', 'order_confirmed', 'order_payment_pending'] as const;

const action = (name: string) =>
  ({
    method: 'post',
    path: `/svc/v3/orders/{orderId}/${name}`,
    params: { orderId: pathId },
    etag: true,
    conditional: true,
  }) as const;

/** What moves an order from state to state. */
export const actionsRoutes = (context: OrdersContext): AnyOperation[] => [
  operation({
    ...action('extension'),
    id: 'extendOrder',
    access: 'orders:write',
    summary: 'Keeps the places of an open or reserved order longer',
    description: 'Until so many minutes from now, at most 60; it never shortens.',
    body: Extension,
    answers: { 200: Order },
    errors: ['conflict', 'semantically_invalid', ...over],
    example: { params, body: { minutes: 30 }, answer: example.extended },
    handle: async (request) => one(await extendOrder(context, commandOf(request, one), request.body.minutes)),
  }),
  operation({
    ...action('reservation'),
    id: 'reserveOrder',
    access: 'orders:write',
    summary: 'Keeps the places of an open order without payment until a date',
    description: 'Any instant in the future; the hold ends then.',
    body: Reservation,
    answers: { 200: Order },
    errors: ['conflict', 'semantically_invalid', ...over],
    example: { params, body: { dueAt: example.reserved.dueAt }, answer: example.reserved },
    handle: async (request) =>
      one(await reserveOrder(context, commandOf(request, one), Date.parse(request.body.dueAt))),
  }),
  operation({
    ...action('confirmation'),
    id: 'confirmOrder',
    access: 'orders:write',
    summary: 'Confirms an order that is free of charge, paid, or on account: its places are sold, its tickets made',
    description:
      'While a payment is pending it is 412 `order_payment_pending`, unless `onAccount` is true: say first whether it was captured ' +
      'or failed. An order whose captured money was given back is 412 `order_unpaid`.',
    body: Confirmation,
    answers: { 200: Order },
    errors: ['conflict', 'order_unpaid', 'order_empty', ...over],
    example: { params, body: { onAccount: true }, answer: example.confirmed },
    handle: async (request) =>
      one(await confirmOrder(context, commandOf(request, one), request.body.onAccount === true)),
  }),
  operation({
    ...action('cancellation'),
    id: 'cancelOrder',
    access: 'orders:write',
    summary: 'Cancels an order, at once and durably',
    description:
      'Tickets and places follow; `cancellation.settledAt` says when all is done. With a controlled ticket it is 412 ' +
      '`order_ticket_controlled`, unless ' +
      '`override` is true, which counts for clients that hold orders.sensitive:write.',
    body: CancellationRequest,
    answers: { 200: Order },
    errors: ['conflict', 'order_expired', 'order_cancelled', 'order_ticket_controlled'],
    example: { params, body: { reason: 'the customer is ill' }, answer: example.cancelled },
    handle: async (request) => {
      const { caller, body } = request;
      const { reason = null, override = false } = body;
      const mayOverride = caller.scopes.includes('orders.sensitive:write');
      const cancelled = cancelOrder(context, commandOf(request, one), { reason, override: override && mayOverride });
      return one(await (override && !mayOverride ? cancelled.catch(explainMissingScope) : cancelled));
    },
  }),
];
