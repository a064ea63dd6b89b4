import {
  type AnyOperation,
  createChangesPageSchema,
  createLineSchema,
  createPatchSchema,
  emailSchema,
  id,
  listQuery,
  named,
  oneOf,
  operation,
  pathId,
  readChangesPage,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import * as example from '../api/examples.ts';
import { RefusedOrder, stateCodes } from '../api/faults.ts';
import { otherCodes } from '../api/price-schemas.ts';
import {
  CancellationRequest,
  Confirmation,
  contactNumber,
  Extension,
  externalReference,
  NewOrder,
  Order,
  OrderDetails,
  pointOfSale,
  Reservation,
  readOnly,
} from '../api/schemas.ts';
import type { IncludedTickets } from '../api/ticket-schema.ts';
import {
  answerCreatedOrder,
  answerCreatedOrderWithTickets,
  answerOrder,
  answerOrderWithTickets,
  toOrderView,
} from '../api/views.ts';
import { type ContextOf, requirePointOfSale } from '../context.ts';
import { states } from '../domain/order/order.ts';
import { createHandler } from '../saga/command.ts';
import { findAny } from '../saga/sell.ts';
import type { OrderDocument } from '../store.ts';
import { cancelOrder, confirmOrder, extendOrder, reserveOrder } from './actions.ts';
import { changeOrder, maySellToAnybody } from './buyer.ts';
import { createOrder, isSoldAtOnce, requireSaleInput, sellNewOrder, toGuesser, toMaker } from './create.ts';
import { readIncludedTickets, requireTicketsScope, ticketsQuery } from './included-tickets.ts';
import { codeErrors, holdErrors, requireBeneficiaries } from './items.ts';
import { searchOrders } from './search.ts';

const collection = { path: '/svc/v3/orders' } as const;
const single = { path: '/svc/v3/orders/{orderId}', params: { orderId: pathId } } as const;
const params = { orderId: example.ids.order };

export function createOrdersRoutes(contextOf: ContextOf): AnyOperation[] {
  const handler = createHandler(contextOf, answerOrder);
  return [
    operation({
      ...collection,
      id: 'createOrder',
      method: 'post',
      access: 'orders:write',
      summary:
        'Creates an order and holds its places, all of them or none; with a payment or a confirmation sells them',
      description:
        'One line per place. The places are held until `expiresAt`: for the hold time of the point of sale, or 15 ' +
        'minutes without one. A client or a user of the role box_office who is bound to points of sale names one of ' +
        'them: 403 otherwise. A tariff with a criterion needs the number of a contact that meets it, or the scope ' +
        'orders.sensitive:write: 422 `order_tariff_not_accessible` otherwise. With `payment`, whose amount is the ' +
        'total (409 `order_total_differs`; `POST /svc/v3/orders/quotes` answers it), or with `confirmation` the ' +
        'order is confirmed and has its tickets at once; refused, nothing is held, sold or recorded. ' +
        '`payment.reference` needs the scope payments:write or orders.sensitive:write as well (403).',
      query: ticketsQuery,
      body: NewOrder,
      answers: { 201: Order },
      errors: [
        ...holdErrors,
        ...codeErrors,
        'order_total_differs',
        'order_unpaid',
        'payment_recorded',
        'precondition_failed',
      ],
      etag: true,
      example: { body: example.newOrder, answer: example.open },
      handle: async ({ caller, query: { include }, body, remember }) => {
        requireTicketsScope(caller, include);
        requirePointOfSale(caller, body.pointOfSale);
        requireBeneficiaries(body.items);
        requireSaleInput(caller, body);
        const [context, maker] = [contextOf(caller), toMaker(caller)];
        const answer = (order: OrderDocument, tickets: IncludedTickets = []) =>
          include ? answerCreatedOrderWithTickets(order, tickets) : answerCreatedOrder(order);
        const record = remember((order: OrderDocument) => answer(order));
        const order = await context.guesses.guard(toGuesser(caller), body.codes, () =>
          isSoldAtOnce(body)
            ? sellNewOrder(context, maker, body, record, { isAnswerWritten: !include })
            : createOrder(context, maker, body, record),
        );
        if (!isSoldAtOnce(body)) return answer(order);
        return answer(order, include ? await readIncludedTickets(context, order) : []);
      },
    }),
    operation({
      ...collection,
      id: 'listOrders',
      method: 'get',
      access: 'orders:read',
      admits: ['customer'],
      summary: 'Lists orders, oldest first',
      description:
        'In order of creation, which for a shopping cart is its checkout. An order past due counts as expired within ' +
        '30 seconds. Users see what their role shows: a customer the orders of its contact, a box_office those of ' +
        'its points of sale, if it has any; a client with bounds sees the orders within them.',
      query: {
        ...listQuery,
        state: Type.Optional(oneOf(states)),
        contactNumber: Type.Optional(contactNumber),
        externalReference: Type.Optional(externalReference),
        number: Type.Optional(
          createLineSchema({ maxLength: 200, description: 'the 8 characters of an order, in upper or lower case' }),
        ),
        pointOfSale: Type.Optional(pointOfSale),
        createdBy: Type.Optional({ ...id, description: 'the id of the client that made them' }),
        performanceId: Type.Optional({ ...id, description: 'of a line that the order has now' }),
        email: Type.Optional({ ...emailSchema, description: 'of the buyer, whole' }),
        q: Type.Optional(
          createLineSchema({
            maxLength: 200,
            description:
              "the number, the reference, or the beginning of the buyer's last name (a structure: its name), " +
              'whatever case and accents; 400 if that begins the names of more than 2,000 contacts',
          }),
        ),
        credit: Type.Optional(Type.Boolean({ description: 'true: that have some; false: that have none' })),
        createdFrom: Type.Optional({ ...timestamp, description: 'created then or later' }),
        createdTo: Type.Optional({ ...timestamp, description: 'created then or earlier' }),
      },
      answers: { 200: createChangesPageSchema(Order) },
      example: {
        query: { state: 'open', limit: 20 },
        answer: { items: [example.open], nextCursor: null, asOf: example.asOf },
      },
      handle: async ({ caller, query, cursor }) => {
        const { modifiedSince, state, contactNumber, externalReference, pointOfSale, ...rest } = query;
        const { number, createdBy, createdFrom, createdTo, q, email, performanceId, credit, ...paging } = rest;
        // Listed when it is created or later, which bounds the range of the index.
        const listedAt = createdFrom === undefined ? { gt: 0 } : { gte: Math.max(1, Date.parse(createdFrom)) };
        const context = contextOf(caller);
        const { institution } = caller;
        const isSearch = [q, email, performanceId].some((one) => one !== undefined);
        const list = isSearch
          ? await searchOrders(context, institution, { q, email, performanceId })
          : context.orders.of(institution);
        return readChangesPage({ query: paging, cursor }, list, {
          where: {
            // Null for carts that were never checked out.
            listedAt,
            createdAt: toRange(createdFrom, createdTo),
            pointOfSale: pointOfSale?.toLowerCase(),
            'createdBy.clientId': createdBy,
            state,
            hasCredit: credit,
            contactNumber,
            externalReference,
            shortNumber: number?.toLowerCase(),
            modifiedAt: modifiedSince === undefined ? undefined : { gte: Date.parse(modifiedSince) },
          },
          orderBy: 'listedAt',
          clock: context.now,
          item: toOrderView,
        });
      },
    }),
    operation({
      ...single,
      id: 'getOrder',
      method: 'get',
      access: 'orders:read',
      admits: ['customer'],
      summary: 'Reads an order',
      description:
        'Also the shopping cart of a point of sale: an open order, which lists contain from its checkout on. With ' +
        '`include=tickets` there is no ETag, since tickets change without their order.',
      query: ticketsQuery,
      answers: { 200: Order },
      etag: true,
      example: { params, answer: example.open },
      handle: async ({ caller, params: { orderId }, query: { include } }) => {
        requireTicketsScope(caller, include);
        const context = contextOf(caller);
        const order = await findAny(context, { institution: caller.institution, orderId });
        return include ? answerOrderWithTickets(order, await readIncludedTickets(context, order)) : answerOrder(order);
      },
    }),
    operation({
      ...single,
      // A cart that was never checked out is `not_found` here.
      id: 'updateOrder',
      method: 'patch',
      access: 'orders:write',
      summary: 'Changes the contact, the external reference, the delivery of tickets and the codes of an order',
      description:
        'A JSON merge patch (RFC 7396): null removes. In every state, but for `ticketDelivery`: until the ' +
        'confirmation, and `codes`, which replace those that there are: while open or reserved. Codes and contact ' +
        'change the prices of an open or reserved order. Unless the order is cancelled, another contact meets the criteria of its tariffs, or the ' +
        'token has the scope orders.sensitive:write: 422 `order_tariff_not_accessible` otherwise.',
      body: named(
        'OrderChanges',
        createPatchSchema(Type.Object({ ...OrderDetails.properties, codes: Type.Optional(otherCodes) })),
      ),
      readOnly,
      answers: { 200: Order },
      errors: ['conflict', 'semantically_invalid', 'order_tariff_not_accessible', ...codeErrors, ...stateCodes],
      etag: true,
      conditional: true,
      example: { params, body: { externalReference: 'agency-4711' }, answer: example.open },
      handle: handler((context, command, { caller, body, requireUnchanged }) => {
        const own = { ...command, requireUnchanged: (order: OrderDocument) => requireUnchanged(toOrderView(order)) };
        const change = () => changeOrder(context, own, body, maySellToAnybody(caller.scopes));
        return context.guesses.guard(toGuesser(caller), body.codes, change);
      }),
    }),
  ];
}

const toRange = (from: string | undefined, to: string | undefined) =>
  from === undefined && to === undefined
    ? undefined
    : {
        ...(from === undefined ? {} : { gte: Date.parse(from) }),
        ...(to === undefined ? {} : { lte: Date.parse(to) }),
      };

export function createActionsRoutes(contextOf: ContextOf): AnyOperation[] {
  const handler = createHandler(contextOf, answerOrder);
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
      description:
        'Any instant in the future, for a client with bounds at most their `reservationDays` ahead (422); the hold ' +
        'ends then.',
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
        'While a payment is pending the answer is 412 `order_payment_pending`, unless `onAccount` is true: settle ' +
        'the payment first. A client with bounds confirms on account only with `onAccount` of its bounds: 403 ' +
        'otherwise.',
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
        'Tickets are cancelled and places released afterwards; `cancellation.settledAt` is when all of that was ' +
        'done. With a controlled ticket the answer is 412 `order_ticket_controlled`, unless `override` is true, ' +
        'which counts with the scope orders.sensitive:write only. With it also a cancelled order of which tickets stayed ' +
        'controlled: these are cancelled, and their places released.',
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
}

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

/** `override` needs a scope which the client does not have. */
const explainMissingScope = (error: unknown): never => {
  if (!(error instanceof RefusedOrder && error.reason === 'ticket_controlled')) throw error;
  const details = `${error.details} $.override counts only with the scope orders.sensitive:write.`;
  throw new RefusedOrder(error.reason, [error.code, details, error.headers]);
};
