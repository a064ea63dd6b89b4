import { type AnyOperation, operation, pathId } from '@boxoffice/http';
import type { ContextOf } from '../bounds.ts';
import * as example from '../examples.ts';
import { stateCodes } from '../faults.ts';
import { Confirmation, Extension, Order, Reservation } from '../schemas.ts';
import { commandOf } from '../steps/command.ts';
import { confirmOrder } from './confirm.ts';
import { extendOrder, reserveOrder } from './extend.ts';
import { orderAnswer } from './view.ts';

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
