// Lines of orders: adding and removing them.

import { type AnyOperation, operation, pathId } from '@boxoffice/http';
import type { ContextOf } from '../bounds.ts';
import * as example from '../examples.ts';
import { stateCodes } from '../faults.ts';
import { holdErrors } from '../orders/items.ts';
import { createdOrderAnswer, orderAnswer } from '../orders/view.ts';
import { NewLines, Order } from '../schemas.ts';
import { commandOf } from '../steps/command.ts';
import { addOrderLines, removeOrderLine } from './lines.ts';

const params = { orderId: example.ids.order };

/** Lines: the operations that add and remove them. */
export const linesRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    id: 'addLines',
    method: 'post',
    path: '/svc/v3/orders/{orderId}/lines',
    access: 'orders:write',
    summary: 'Adds lines to an open or reserved order: all their places are held, or none',
    description: 'The new places are held until the `expiresAt` of the order.',
    params: { orderId: pathId },
    body: NewLines,
    answers: { 201: Order },
    errors: ['conflict', ...stateCodes, ...holdErrors],
    etag: true,
    conditional: true,
    example: { params, body: { items: example.items }, answer: example.open },
    handle: async (request) =>
      createdOrderAnswer(
        await addOrderLines(contextOf(request.caller), commandOf(request, createdOrderAnswer), request.body.items),
      ),
  }),
  operation({
    id: 'removeLine',
    method: 'delete',
    path: '/svc/v3/orders/{orderId}/lines/{lineId}',
    access: 'orders:write',
    summary: 'Removes a line from an open or reserved order and releases its place',
    params: { orderId: pathId, lineId: pathId },
    answers: { 200: Order },
    errors: ['conflict', ...stateCodes],
    etag: true,
    conditional: true,
    example: { params: { ...params, lineId: example.open.lines[1].id }, answer: example.oneLine },
    handle: async (request) =>
      orderAnswer(
        await removeOrderLine(contextOf(request.caller), commandOf(request, orderAnswer), request.params.lineId),
      ),
  }),
];
