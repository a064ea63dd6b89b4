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
import { type Caller, computeRestriction } from '@boxoffice/identity';
import type { Static } from 'typebox';
import * as example from '../api/examples.ts';
import { changeStateCodes } from '../api/faults.ts';
import { requireRecord, toOrderEtag, toPagedList } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import type { ChangeInput as Wanted } from '../domain/changes/check.ts';
import { deriveIdFromKey, formatOrderPath } from '../ids.ts';
import { maySellToAnybody } from '../orders/buyer.ts';
import { toCreator } from '../orders/create.ts';
import { holdErrors } from '../orders/items.ts';
import { toCommand } from '../saga/command.ts';
import { findOrder } from '../saga/sell.ts';
import type { OrderDocument } from '../store.ts';
import { changeOrder } from './change.ts';
import { endChange } from './end.ts';
import * as examples from './examples.ts';
import { quoteChange } from './quote.ts';
import { Change, ChangeInput, ChangeQuote, ChangeQuoteInput } from './schemas.ts';
import { toChangeView, toQuoteView } from './views.ts';

const collection = { path: '/svc/v3/orders/{orderId}/changes', params: { orderId: pathId } } as const;
const single = { path: `${collection.path}/{changeId}`, params: { orderId: pathId, changeId: pathId } } as const;
const params = { orderId: example.ids.order };
const singleParams = { ...params, changeId: examples.change.id };

const SENSITIVE = 'orders.sensitive:write';

/** @throws Fault `validation_error` unless it names 1 to 50 lines, each once */
export function readChangeInput({ scopes }: Pick<Caller, 'scopes'>, body: Static<typeof ChangeQuoteInput>): Wanted {
  const { returns = [], exchanges = [], override = false, waiveFees = false } = body;
  const ids = [...returns, ...exchanges].map(({ lineId }) => lineId);
  if (ids.length === 0 || ids.length > 50 || new Set(ids).size !== ids.length)
    throw new Fault('validation_error', '$.returns and $.exchanges name 1 to 50 lines together, each once.');
  const mayLift = scopes.includes(SENSITIVE);
  return { returns, exchanges, override: override && mayLift, waiveFees: waiveFees && mayLift };
}

const readRefund = ({ refund }: Static<typeof ChangeInput>) => {
  if (!refund) return {};
  const { method, provider, reference } = refund;
  if (method !== undefined && provider === undefined) return { refund: { method, reference: reference ?? null } };
  if (provider !== undefined && method === undefined && reference === undefined) return { refund: { provider } };
  throw new Fault('validation_error', '$.refund has either $.method, and perhaps $.reference, or $.provider.');
};

const toMaker = (caller: Caller) => ({
  sellsToAnybody: maySellToAnybody(caller.scopes),
  publicOnly: computeRestriction(caller).contacts !== null,
});

export function createChangesRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      ...collection,
      path: `${collection.path}/quotes`,
      id: 'quoteOrderChange',
      method: 'post',
      access: 'orders:read',
      admits: ['customer'],
      summary:
        'Answers what a change of a confirmed order would cost now, and why it would be refused; nothing is held',
      description:
        'The figures are as if the change were allowed. `refusals` has each 409, 412 and 422 that the change would ' +
        'be answered with, of the first step that fails all lines that fail it. `override` and `waiveFees` count ' +
        'with the scope orders.sensitive:write only.',
      body: ChangeQuoteInput,
      answers: { 200: ChangeQuote },
      example: { params, body: examples.quoteInput, answer: examples.quote },
      handle: async ({ caller, params: { orderId }, body }) => {
        const target = { institution: caller.institution, orderId };
        return ok(
          toQuoteView(await quoteChange(contextOf(caller), target, readChangeInput(caller, body), toMaker(caller))),
        );
      },
    }),
    operation({
      ...collection,
      id: 'changeOrder',
      method: 'post',
      access: 'orders:write',
      summary: 'Returns and exchanges lines of a confirmed order',
      description:
        'With nothing due, with a captured `payment`, or `onAccount`, the change is done when this answers; else it ' +
        'is pending and holds its new places until `expiresAt`: record a payment with its `changeId`. Until it is ' +
        'done old and new places are both kept. A line may leave within its `returnPolicy`. `difference` is that of ' +
        'the quote. Credit stays on the order, or is recorded as refunded by `refund`. 412 `payment_recorded`: it ' +
        'was paid, but its places were gone. `payment.reference` needs payments:write or orders.sensitive:write. ETag ' +
        "is the order's.",
      body: ChangeInput,
      answers: { 201: Change },
      errors: [
        'conflict',
        ...changeStateCodes.filter((code) => code !== 'precondition_failed'),
        'change_in_progress',
        'change_not_allowed',
        'order_ticket_controlled',
        'change_difference_changed',
        'payment_recorded',
        'payment_disputed',
        'refund_exceeds_paid',
        ...holdErrors,
      ],
      etag: true,
      conditional: true,
      example: { params, body: examples.input, answer: examples.change },
      handle: async (request) => {
        const { caller, body } = request;
        const wanted = readChangeInput(caller, body);
        const { difference, payment, onAccount } = body;
        if (payment?.reference !== undefined && !caller.scopes.includes(SENSITIVE))
          requireScope(caller.scopes, 'payments:write', '$.payment.reference');
        const answer = (order: OrderDocument) => {
          const change = requireRecord(order.changes ?? [], id);
          const path = `${formatOrderPath(order.id)}/changes/${change.id}`;
          return created(toChangeView(order, change), path, toOrderEtag(order));
        };
        const context = contextOf(caller);
        const command = toCommand(request, answer);
        const id = deriveIdFromKey(command.idempotencyRecord, 'chg') ?? context.newId('chg');
        const refund = readRefund(body);
        const given = { ...wanted, difference, payment, onAccount, ...refund };
        const made = { id, createdBy: toCreator(caller), maker: toMaker(caller) };
        return answer(await changeOrder(context, command, { ...given, ...made }));
      },
    }),
    operation({
      ...collection,
      id: 'listOrderChanges',
      method: 'get',
      access: 'orders:read',
      admits: ['customer'],
      summary: 'Lists the changes of an order in order of creation',
      description: 'Also those that have lapsed.',
      query: pageQuery,
      answers: { 200: createPageSchema(Change) },
      example: { params, answer: { items: [examples.change], nextCursor: null } },
      handle: async ({ caller, params: { orderId }, query, cursor }) => {
        const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
        return readPage({ query, cursor }, toPagedList(order.changes ?? []), {
          item: (change) => toChangeView(order, change),
        });
      },
    }),
    operation({
      ...single,
      id: 'getOrderChange',
      method: 'get',
      access: 'orders:read',
      admits: ['customer'],
      summary: 'Reads a change',
      description: "ETag is the order's.",
      answers: { 200: Change },
      etag: true,
      example: { params: singleParams, answer: examples.change },
      handle: async ({ caller, params: { orderId, changeId } }) => {
        const order = await findOrder(contextOf(caller), { institution: caller.institution, orderId });
        return ok(toChangeView(order, requireRecord(order.changes ?? [], changeId)), toOrderEtag(order));
      },
    }),
    operation({
      ...single,
      id: 'endOrderChange',
      method: 'delete',
      access: 'orders:write',
      summary: 'Ends a pending change: it lapses, and its new places are free',
      description:
        'Money that was captured for it is credit of the order, and stays it. Any other is 412 `change_final`.',
      answers: { 200: Change },
      errors: ['conflict', 'change_final'],
      etag: true,
      conditional: true,
      example: { params: singleParams, answer: examples.lapsed },
      handle: async (request) => {
        const {
          caller,
          params: { changeId },
        } = request;
        const answer = (order: OrderDocument) =>
          ok(toChangeView(order, requireRecord(order.changes ?? [], changeId)), toOrderEtag(order));
        return answer(await endChange(contextOf(caller), toCommand(request, answer), changeId));
      },
    }),
  ];
}
