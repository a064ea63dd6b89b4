// Lines of orders: adding and removing them.

import { type AnyOperation, mergePatch, named, operation, patchOf, pathId } from '@boxoffice/http';
import * as example from '../api/examples.ts';
import { stateCodes } from '../api/faults.ts';
import { LineDetails, lineReadOnly, NewLines, Order } from '../api/schemas.ts';
import { createdOrderAnswer, lineView, orderAnswer } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import { commandOf } from '../steps/command.ts';
import { holdErrors, requireBeneficiaries } from './items.ts';
import { addOrderLines, nameOrderLine, removeOrderLine } from './lines.ts';

/** The codes of the states in which no beneficiary is changed, and of a controlled ticket. */
const nameErrors = ['order_expired', 'order_cancelled', 'order_ticket_controlled'] as const;

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
    handle: async (request) => {
      requireBeneficiaries(request.body.items);
      return createdOrderAnswer(
        await addOrderLines(contextOf(request.caller), commandOf(request, createdOrderAnswer), request.body.items),
      );
    },
  }),
  operation({
    id: 'updateLine',
    method: 'patch',
    path: '/svc/v3/orders/{orderId}/lines/{lineId}',
    access: 'orders:write',
    summary: 'Changes the beneficiary of a line of an open, reserved, payment_pending or confirmed order',
    description:
      'A JSON merge patch (RFC 7396): null removes. The ticket of a confirmed order follows, and a printed one is replaced; it ' +
      'follows later if the tickets service does not answer. A change at the ticket itself leaves the line as it is. Refused if ' +
      'the ticket is controlled.',
    params: { orderId: pathId, lineId: pathId },
    body: named('OrderLineChanges', patchOf(LineDetails)),
    readOnly: lineReadOnly,
    answers: { 200: Order },
    errors: ['conflict', 'semantically_invalid', ...nameErrors],
    etag: true,
    conditional: true,
    example: {
      params: { ...params, lineId: example.ids.line },
      body: { beneficiary: example.beneficiary },
      answer: example.namedLine,
    },
    handle: async (request) =>
      orderAnswer(
        await nameOrderLine(
          contextOf(request.caller),
          commandOf(request, orderAnswer),
          request.params.lineId,
          (line, order) => {
            request.unchanged(lineView(line, order));
            const { beneficiary } = mergePatch<{ beneficiary?: object | null }>(
              { beneficiary: line.beneficiary ?? null },
              request.body,
            );
            return beneficiary;
          },
        ),
      ),
  }),
  operation({
    id: 'removeLine',
    method: 'delete',
    path: '/svc/v3/orders/{orderId}/lines/{lineId}',
    access: 'orders:write',
    summary: 'Removes a line from an open or reserved order and releases its place',
    description: 'If what was captured covers the rest, the order is paid in full and confirmed.',
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
