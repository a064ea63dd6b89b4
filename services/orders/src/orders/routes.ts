// Orders: created, listed, read, changed, extended, reserved and confirmed.

import {
  type AnyOperation,
  changesPage,
  changesPageOf,
  listQuery,
  named,
  oneOf,
  operation,
  patchOf,
  pathId,
} from '@boxoffice/http';
import { Type } from 'typebox';
import type { OrdersContext } from '../context.ts';
import { visibleStates } from '../domain/order/order.ts';
import * as example from '../examples.ts';
import { contactNumber, externalReference, NewOrder, Order, OrderDetails, readOnly } from '../schemas.ts';
import { commandOf } from '../steps/command.ts';
import type { OrderDocument } from '../store.ts';
import { changeOrder } from './change.ts';
import { createOrder } from './create.ts';
import { findAny } from './find.ts';
import { holdErrors } from './items.ts';
import { createdOrderAnswer, orderAnswer, orderView } from './view.ts';

const collection = { path: '/svc/v3/orders' } as const;
const single = { path: '/svc/v3/orders/{orderId}', params: { orderId: pathId } } as const;
const params = { orderId: example.ids.order };

/** Orders: the operations that create, list, read and change them. Reserve, extend and confirm: action-routes.ts. */
export const ordersRoutes = (context: OrdersContext): AnyOperation[] => [
  operation({
    ...collection,
    id: 'createOrder',
    method: 'post',
    access: 'orders:write',
    summary: 'Creates an order and holds its places: all of them or none',
    description:
      'One line per place. The places are held until `expiresAt`: for the hold time of the point of sale, or 15 ' +
      'minutes without one.',
    body: NewOrder,
    answers: { 201: Order },
    errors: holdErrors,
    etag: true,
    example: { body: example.newOrder, answer: example.open },
    handle: async ({ caller, body, remember }) =>
      createdOrderAnswer(
        await createOrder(
          context,
          { institution: caller.institution, client: caller.client },
          body,
          remember(createdOrderAnswer),
        ),
      ),
  }),
  operation({
    ...collection,
    id: 'listOrders',
    method: 'get',
    access: 'orders:read',
    summary: 'Lists orders, oldest first',
    description:
      'In order of creation, which for a shopping cart is its checkout. An order past due counts as expired within ' +
      '30 seconds.',
    query: {
      ...listQuery,
      state: Type.Optional(oneOf(visibleStates)),
      contactNumber: Type.Optional(contactNumber),
      externalReference: Type.Optional(externalReference),
    },
    answers: { 200: changesPage(Order) },
    example: {
      query: { state: 'open', limit: 20 },
      answer: { items: [example.open], nextCursor: null, asOf: example.asOf },
    },
    handle: ({ caller, query, cursor }) => {
      const { modifiedSince, state, contactNumber, externalReference, ...paging } = query;
      return changesPageOf({ query: paging, cursor }, context.orders.of(caller.institution), {
        where: {
          // Neither drafts nor carts that were never checked out: their `listedAt` is null.
          listedAt: { gt: 0 },
          state,
          contactNumber,
          externalReference,
          modifiedAt: modifiedSince === undefined ? undefined : { gte: Date.parse(modifiedSince) },
        },
        orderBy: 'listedAt',
        clock: context.now,
        item: orderView,
      });
    },
  }),
  operation({
    ...single,
    id: 'getOrder',
    method: 'get',
    access: 'orders:read',
    summary: 'Reads an order',
    description: 'Also the shopping cart of a point of sale: an open order, which lists contain from its checkout on.',
    answers: { 200: Order },
    etag: true,
    example: { params, answer: example.open },
    handle: async ({ caller, params: { orderId } }) =>
      orderAnswer(await findAny(context, { institution: caller.institution, orderId })),
  }),
  operation({
    ...single,
    // A cart that was never checked out is `not_found` here.
    id: 'updateOrder',
    method: 'patch',
    access: 'orders:write',
    summary: 'Changes the contact and the external reference of an order',
    description: 'A JSON merge patch (RFC 7396): null removes. In every state.',
    body: named('OrderChanges', patchOf(OrderDetails)),
    readOnly,
    answers: { 200: Order },
    errors: ['conflict', 'semantically_invalid'],
    etag: true,
    conditional: true,
    example: { params, body: { externalReference: 'agency-4711' }, answer: example.open },
    handle: async (request) => {
      const unchanged = (order: OrderDocument): void => request.unchanged(orderView(order));
      return orderAnswer(await changeOrder(context, { ...commandOf(request, orderAnswer), unchanged }, request.body));
    },
  }),
];
