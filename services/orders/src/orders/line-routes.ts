import { type AnyOperation, createPatchSchema, mergePatch, named, operation, pathId } from '@boxoffice/http';
import * as example from '../api/examples.ts';
import { stateCodes } from '../api/faults.ts';
import { LineDetails, lineReadOnly, NewLines, Order } from '../api/schemas.ts';
import { answerCreatedOrder, answerOrder, toLineView } from '../api/views.ts';
import type { HeldLine } from '../clients/services.ts';
import type { ContextOf } from '../context.ts';
import { createHandler } from '../saga/command.ts';
import type { OrderDocument } from '../store.ts';
import { maySellToAnybody, permitTariffs } from './buyer.ts';
import { holdErrors, requireBeneficiaries } from './items.ts';
import { addOrderLines, nameOrderLine, removeOrderLine } from './lines.ts';

const nameErrors = ['order_expired', 'order_cancelled', 'order_ticket_controlled'] as const;

const collection = '/svc/v3/orders/{orderId}/lines';
const single = { path: `${collection}/{lineId}`, params: { orderId: pathId, lineId: pathId } } as const;
const common = { access: 'orders:write', etag: true, conditional: true } as const;
const params = { orderId: example.ids.order };

export function createLinesRoutes(contextOf: ContextOf): AnyOperation[] {
  const handler = createHandler(contextOf, answerOrder);
  return [
    operation({
      ...common,
      id: 'addLines',
      method: 'post',
      path: collection,
      summary: 'Adds lines to an open or reserved order: all their places are held, or none',
      description:
        'The new places are held until the `expiresAt` of the order. A tariff with a criterion needs that the ' +
        'contact of the order meets it, or the scope orders.sensitive:write: 422 `order_tariff_not_accessible` ' +
        'otherwise. If what was captured covers them, the order is paid in full and confirmed.',
      params: { orderId: pathId },
      body: NewLines,
      answers: { 201: Order },
      errors: ['conflict', ...stateCodes, ...holdErrors],
      example: { params, body: { items: example.items }, answer: example.open },
      handle: createHandler(
        contextOf,
        answerCreatedOrder,
      )((context, command, { caller: { scopes }, body: { items } }) => {
        requireBeneficiaries(items);
        const permit = (lines: readonly Pick<HeldLine, 'criterion'>[], { institution, contactNumber }: OrderDocument) =>
          permitTariffs(context, institution, contactNumber, lines);
        return addOrderLines(context, command, items, maySellToAnybody(scopes) ? {} : { permit });
      }),
    }),
    operation({
      ...common,
      ...single,
      id: 'updateLine',
      method: 'patch',
      summary: 'Changes the beneficiary of a line of an open, reserved, payment_pending or confirmed order',
      description:
        'A JSON merge patch (RFC 7396): null removes. The ticket of a confirmed order follows, and a printed one is ' +
        'replaced; it follows later if the tickets service does not answer. A change at the ticket itself leaves the ' +
        'line as it is. Refused if the ticket is controlled.',
      body: named('OrderLineChanges', createPatchSchema(LineDetails)),
      readOnly: lineReadOnly,
      answers: { 200: Order },
      errors: ['conflict', 'semantically_invalid', ...nameErrors],
      example: {
        params: { ...params, lineId: example.ids.line },
        body: { beneficiary: example.beneficiary },
        answer: example.namedLine,
      },
      handle: handler((context, command, { params: { lineId }, body, requireUnchanged }) =>
        nameOrderLine(context, command, lineId, (line, order) => {
          requireUnchanged(toLineView(line, order));
          const present = { beneficiary: line.beneficiary ?? null };
          return mergePatch<{ beneficiary?: object | null }>(present, body).beneficiary;
        }),
      ),
    }),
    operation({
      ...common,
      ...single,
      id: 'removeLine',
      method: 'delete',
      summary: 'Removes a line from an open or reserved order and releases its place',
      description: 'If what was captured covers the rest, the order is paid in full and confirmed.',
      answers: { 200: Order },
      errors: ['conflict', ...stateCodes],
      example: { params: { ...params, lineId: example.open.lines[1].id }, answer: example.oneLine },
      handle: handler((context, command, { params: { lineId } }) => removeOrderLine(context, command, lineId)),
    }),
  ];
}
